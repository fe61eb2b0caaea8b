package observe

// valueHints are for data that is not what the code took it for.
var valueHints = map[class]phrase{
	classDate: {
		"Not every value is a date in that form (failing value: {value}). Use pd.to_datetime(s, errors=\"coerce\", format=\"mixed\") and look at the rows that become NaT, or name the exact format.",
		"并非所有值都是该格式的日期（出错的值：{value}）。请用 pd.to_datetime(s, errors=\"coerce\", format=\"mixed\") 并检查变成 NaT 的行，或写明确切的 format。",
	},
	classNotDates: {
		"This is no column of dates, most often it is text. Convert it first, then use .dt: t[\"name\"] = pd.to_datetime(t[\"name\"]), with errors=\"coerce\" when some values are no dates.",
		"该列不是日期类型，多半是文本。请先转换再使用 .dt：t[\"列名\"] = pd.to_datetime(t[\"列名\"])，个别值不是日期时加 errors=\"coerce\"。",
	},
	classNotText: {
		"This is no column of text, most often it holds numbers. Convert it first, then use .str: t[\"name\"].astype(str).str; numbers are compared and computed without it.",
		"该列不是文本，多半是数字。请先转换再使用 .str：t[\"列名\"].astype(str).str；数字的比较和计算不需要它。",
	},
	classNotCategory: {
		"This is no column of categories. Convert it first, then use .cat: t[\"name\"] = t[\"name\"].astype(\"category\").",
		"该列不是分类类型。请先转换再使用 .cat：t[\"列名\"] = t[\"列名\"].astype(\"category\")。",
	},
	classIndexDates: {
		"The index holds no dates. Convert the column with pd.to_datetime and make it the index first (set_index), or name it: resample(\"ME\", on=\"name\").",
		"索引不是日期。请先用 pd.to_datetime 转换该列并设为索引（set_index），或指明列：resample(\"ME\", on=\"列名\")。",
	},
	classThousands: {
		"The numbers are text with thousands separators, percent or currency signs (failing value: {value}). Clean first: pd.to_numeric(s.str.replace(\",\", \"\").str.strip(\"%$€£¥ \"), errors=\"coerce\").",
		"这些数字是带千分位逗号、百分号或货币符号的文本（出错的值：{value}）。请先清洗：pd.to_numeric(s.str.replace(\",\", \"\").str.strip(\"%$€£¥ \"), errors=\"coerce\")。",
	},
	classMixed: {
		"The values are of mixed types, often text among numbers. Look at dtypes, convert with pd.to_numeric(s, errors=\"coerce\"), and aggregate number columns only (numeric_only=True).",
		"数据类型混杂，多半是数字列里有文本。请查看 dtypes，用 pd.to_numeric(s, errors=\"coerce\") 转换，聚合时只用数值列（numeric_only=True）。",
	},
	classMissing: {
		"There are missing or infinite values. Drop or fill them first (dropna, fillna), or use a type that allows them (astype(\"Int64\")).",
		"存在缺失值或无穷值。请先删除或填充（dropna、fillna），或使用允许缺失的类型（astype(\"Int64\")）。",
	},
	classEmpty: {
		"The table or list is empty at this point: a filter or a join let nothing through. Check len() after each step and compare the filter with the real values (unique(), value_counts()).",
		"此处的表或列表为空：筛选或连接之后没有剩下任何数据。请在每一步后检查 len()，并用 unique()、value_counts() 对照真实取值。",
	},
	classTimezone: {
		"Dates with and without time zone do not mix. Bring all to one: s.dt.tz_localize(None) takes the zone off, s.dt.tz_localize(\"UTC\") puts one on.",
		"带时区与不带时区的时间不能混用。请统一：s.dt.tz_localize(None) 去掉时区，s.dt.tz_localize(\"UTC\") 加上时区。",
	},
	classFrequency: {
		"This frequency has another name now: \"ME\" month end, \"QE\" quarter end, \"YE\" year end, \"h\" hour, \"min\" minute, \"s\" second.",
		"该频率已改名：月末 \"ME\"，季末 \"QE\"，年末 \"YE\"，小时 \"h\"，分钟 \"min\"，秒 \"s\"。",
	},
	classEncoding: {
		"The file has another encoding than assumed. {df} holds it already decoded; for another file name the encoding, for example encoding=\"gb18030\" or \"latin-1\".",
		"文件编码与假定的不同。{df} 已是解码好的数据；读取其他文件请指定编码，例如 encoding=\"gb18030\" 或 \"latin-1\"。",
	},
	classTokens: {
		"The file does not read as a table in that form. The data is already parsed in {df} (and dfs); the input files are: {inputs}.",
		"按这种方式无法把文件读成表格。数据已经解析在 {df}（及 dfs）中；输入文件：{inputs}。",
	},
	classMerge: {
		"The keys of the join differ in type or name. Bring them to one type first: a[\"key\"] = a[\"key\"].astype(str), the same for the other table.",
		"连接键的类型或名称不一致。请先统一类型：a[\"key\"] = a[\"key\"].astype(str)，另一张表同样处理。",
	},
	classDuplicate: {
		"The keys or labels are not unique. Aggregate duplicates first (groupby, or pivot_table with aggfunc), or reset_index() / drop_duplicates().",
		"键或标签不唯一。请先聚合重复项（groupby，或带 aggfunc 的 pivot_table），或使用 reset_index() / drop_duplicates()。",
	},
	classTruth: {
		"A whole column has no single truth value. Combine conditions with & | ~ and parentheses, or use .any() / .all() / .empty.",
		"整列没有单一的真假值。请用 & | ~ 加括号组合条件，或使用 .any() / .all() / .empty。",
	},
	classJSON: {
		"JSON takes plain values only. Convert first: int(x), float(x), str(x), s.tolist(), or .to_json() of a table.",
		"JSON 只接受普通值。请先转换：int(x)、float(x)、str(x)、s.tolist()，或用表的 .to_json()。",
	},
	classGlyphs: {
		"The font has no picture for some characters. Leave the font setting away: Chinese, Japanese and common symbols are drawn without any.",
		"字体缺少部分字符。请去掉字体设置：中文、日文和常见符号无需设置即可显示。",
	},
}

// codeHints are for mistakes in the code itself.
var codeHints = map[class]phrase{
	classShape: {
		"The lengths or shapes do not fit together. Print len() or .shape of both sides before this line and bring them to one length.",
		"长度或形状不匹配。请在该行之前打印两边的 len() 或 .shape，并统一长度。",
	},
	classNone: {
		"The value is None: many methods return nothing when they change in place (inplace=True, list.sort). Assign the result of the method without inplace.",
		"该值是 None：原地修改的方法没有返回值（inplace=True、list.sort）。请去掉 inplace 并接收返回值。",
	},
	classWritable: {
		"The array is read-only because it is a view of a table. Change a copy: x = x.copy().",
		"该数组是表的只读视图。请在副本上修改：x = x.copy()。",
	},
	classArgument: {
		"The call does not fit the installed version of the function. Check its arguments (help(f)) and leave out the one that the message names.",
		"调用方式与已安装的函数版本不符。请查看参数（help(f)），去掉报错中提到的参数。",
	},
	classIndex: {
		"The position is outside of what is there. Check the length first; the list may be empty after a filter.",
		"位置超出范围。请先检查长度；筛选之后可能已经为空。",
	},
	classZero: {
		"A divisor is zero. Check for it first, or divide columns with .replace(0, np.nan) in the divisor.",
		"除数为零。请先检查，或对除数列使用 .replace(0, np.nan)。",
	},
	classRecursion: {
		"The function calls itself too deeply or without end. Write it as a loop, or check its end condition.",
		"函数递归过深或没有终止。请改写成循环，或检查终止条件。",
	},
	classNUL: {
		"The source code contains a NUL character (\\x00). Send the code again as plain text without it.",
		"源代码（source code）中含有 NUL 字符（\\x00）。请去掉它，重新提交纯文本代码。",
	},
	classNested: {
		"The code is nested too deeply for Python to read, so nothing ran. Split long chains of elif, operators, calls or brackets into several statements, or put such data into a list or a file.",
		"代码嵌套过深，Python 无法解析，因此没有运行。请把很长的 elif、运算符、调用或括号链拆成多条语句，或把这类数据放进列表或文件。",
	},
	classSyntax: {
		"The code is not valid Python at this line. Check brackets, quotes and indentation, and send the whole program again, without Markdown and without text around it.",
		"该行不是合法的 Python。请检查括号、引号和缩进，并重新提交完整程序，不要带 Markdown 或多余文字。",
	},
	classBlocked: {
		"There was nothing to read, no room to write, or somebody else held the lock. Wait for it: read and write without O_NONBLOCK, lock without LOCK_NB.",
		"没有可读的数据、没有写入的空间，或者锁被占用。请等待：读写时不要用 O_NONBLOCK，加锁时不要用 LOCK_NB。",
	},
	classAssert: {
		"An assertion of the code itself failed. Print the values it compares, then correct the code or the assumption.",
		"代码自己的断言失败。请打印所比较的值，然后修正代码或假设。",
	},
	classOther: {
		"Read the message and the failing line, check the values before it with print(), and change that line.",
		"请阅读报错信息和出错的行，用 print() 检查之前的值，然后修改该行。",
	},
}

// thisPlace stands where a path is told and none is known.
var thisPlace = phrase{"This place", "该位置"}

// unknownCause stands where it is told what ended the interpreter, and nobody knows.
var unknownCause = phrase{"unknown cause", "原因不明"}

// endings say what happened where no exception tells it.
var endings = map[class]phrase{
	classTimeout:   {"timeout: the code ran longer than {timeout}", "超时（timeout）：代码运行超过 {timeout}"},
	classMemory:    {"memory limit: the code needed more than {memory}", "内存（memory）超限：代码需要的内存超过 {memory}"},
	classOutput:    {"output limit: the code wrote more than {output}", "输出（output）超限：代码输出超过 {output}"},
	classDisk:      {"disk limit: a file system of the sandbox is full", "磁盘（disk）超限：沙箱的文件系统已满"},
	classProcesses: {"process limit: the code wanted more than {processes} processes and threads", "进程数（process）超限：代码需要的进程和线程超过 {processes} 个"},
	classStuck: {
		"timeout: the code met its limit of {processes} processes and threads, and ran longer than {timeout}",
		"超时（timeout）：代码触到 {processes} 个进程（process）和线程的上限，运行超过 {timeout}",
	},
	classCrashed:   {"the interpreter was ended by {signal}", "解释器被 {signal} 终止"},
	classMapped:    {"the interpreter was ended by {signal}: no space behind mapped memory", "解释器被 {signal} 终止：内存映射背后没有空间"},
	classExit:      {"the interpreter left without an exception ({exit})", "解释器未抛出异常即退出（{exit}）"},
	classProtocol:  {"the code broke the channel for results", "代码破坏了返回结果的通道"},
	classRejected:  {"the code was refused before it ran", "代码在运行前被拒绝"},
	classNUL:       {"source code contains a NUL character", "源代码（source code）中含有 NUL 字符"},
	classRefused:   {"the code was refused before it ran", "代码在运行前被拒绝"},
	classForbidden: {"the code was refused before it ran", "代码在运行前被拒绝"},
	classCancelled: {"the run was cancelled", "运行已取消"},
	classInternal:  {"the sandbox failed", "沙箱内部错误"},
}

var (
	findingLine    = phrase{"line {at}: {message} [{rule}]", "第 {at} 行：{message} [{rule}]"}
	findingInstead = phrase{"line {at}: {message} [{rule}]; instead: {instead}", "第 {at} 行：{message} [{rule}]；可改用：{instead}"}
)
