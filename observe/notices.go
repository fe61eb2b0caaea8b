package observe

// runNotices put what the driver and the controller noticed of a run into words,
// by code. Names in braces are arguments of the notice.
var runNotices = map[string]phrase{
	"rows_sampled": {
		"df holds {given} of {rows} rows, {sample}; totals computed from it are not totals of the file. The whole file is in /workspace/input.",
		"df 只含 {rows} 行中的 {given} 行（{sample}）；由它算出的合计不是整个文件的合计。整个文件在 /workspace/input 中。",
	},
	"missing_values": {
		"Missing values were ignored in: {columns}.",
		"以下列的缺失值被忽略：{columns}。",
	},
	"empty_chart": {
		"Chart {figure} is empty: nothing was drawn. Check that the filtered data has rows.",
		"图 {figure} 是空的：没有画出任何数据。请检查筛选后的数据是否有行。",
	},
	"missing_glyphs": {
		"These characters could not be drawn in a chart (missing glyphs): {characters}. Leave the font setting away; Chinese needs none.",
		"图中有字符无法显示（缺少字形）：{characters}。请去掉字体设置，中文无需设置。",
	},
	"labels_overlap": {
		"Labels on the {axis} axis overlap. Rotate them (plt.xticks(rotation=45)), show fewer, or make the chart wider.",
		"{axis} 轴的标签重叠。请旋转（plt.xticks(rotation=45)）、减少标签或加宽图形。",
	},
	"labels_cut": {
		"Labels on the {axis} axis are cut at the edge of the picture. Use plt.tight_layout() or a larger figure.",
		"{axis} 轴的标签在图片边缘被截断。请使用 plt.tight_layout() 或更大的图形。",
	},
	"not_finite": {
		"{name} is {value}, not a number that can be reported. Check for missing values and division by zero.",
		"{name} 的值是 {value}，不是可以报告的数字。请检查缺失值和除以零。",
	},
	"total_row": {
		"{table} has a total row (row {row}, column {column}) that was counted together with its parts. Drop it before summing.",
		"{table} 含有合计行（第 {row} 行，列 {column}），与明细一起被计入。请在求和前去掉它。",
	},
	"join_multiplied": {
		"Joining {left} with {right} multiplied rows: there are {rows} now. A key is not unique; sums after it count twice.",
		"{left} 与 {right} 连接后行数变多：现在有 {rows} 行。连接键不唯一，之后的求和会重复计算。",
	},
	"sum_of_identifiers": {
		"{column} holds identifiers; its sum or mean means nothing.",
		"{column} 是编号，对它求和或求平均没有意义。",
	},
	"empty_result": {
		"The result is empty: a filter or a join let nothing through. Compare the filter with the real values (unique(), value_counts()).",
		"结果为空：筛选或连接之后没有剩下任何数据。请用 unique()、value_counts() 对照真实取值。",
	},
	"fence_removed": {
		"A Markdown fence around the code was taken off. Send plain Python.",
		"已去掉代码外的 Markdown 围栏。请直接提交 Python 代码。",
	},
	"magic_ignored": {
		"A notebook command was ignored: {line}",
		"已忽略 notebook 命令：{line}",
	},
	"backend_ignored": {
		"The matplotlib backend {name} was ignored, there is no window: open figures are returned when the code ends.",
		"已忽略 matplotlib 后端 {name}（没有窗口）：代码结束时会返回打开的图。",
	},
	"results_dropped": {
		"{count} further displayed values were dropped; show fewer.",
		"另有 {count} 个显示结果被丢弃；请少显示一些。",
	},
	"types_dropped": {
		"{count} forms of displayed values were dropped: their MIME types are none, or hold personal data.",
		"已丢弃 {count} 种显示形式：其 MIME 类型不合法，或含有个人数据。",
	},
	"artifact_missing": {
		"The declared artifact {name} was not produced. Save it to /workspace/output under this name.",
		"声明的产物 {name} 没有生成。请以该文件名保存到 /workspace/output。",
	},
	"not_prepared": {
		"The data cannot be kept parsed and is read anew for every run: {why}",
		"数据无法以解析后的形式保留，每次运行都要重新读取：{why}",
	},
	"template_lost": {
		"The data that had been parsed ahead was lost and was read anew for this run.",
		"预先解析好的数据已丢失，本次运行重新读取了数据。",
	},
	"personal_data_masked": {
		"Personal data was masked before it was told ({counts}): stars stand where it was. In the code it is whole, so count and join there.",
		"个人数据已脱敏后才输出（{counts}）：原处以星号代替。代码中的数据是完整的，请在代码里计数和关联。",
	},
	"output_withheld": {
		"What the code told and left was withheld: there was too much personal data in it ({kind}: {count}). Compute totals, counts or groups of the people instead of listing them.",
		"代码的输出与文件均未给出：其中个人数据过多（{kind}：{count}）。请计算汇总、计数或分组结果，不要逐条列出个人信息。",
	},
	"limit_met": {
		"The code ended well but met its limit of {limit}; the answer may be incomplete.",
		"代码正常结束，但触到了上限：{limit}；结果可能不完整。",
	},
}

// limitNames are the words for what "limit_met" names.
var limitNames = map[string]phrase{
	"memory":        {"memory", "内存"},
	"memory_limit":  {"memory", "内存"},
	"oom_kill":      {"memory", "内存"},
	"processes":     {"processes", "进程数"},
	"process_limit": {"processes", "进程数"},
	"pids_limit":    {"processes", "进程数"},
	"disk":          {"disk space", "磁盘空间"},
	"disk_limit":    {"disk space", "磁盘空间"},
	"disk_full":     {"disk space", "磁盘空间"},
	"output":        {"output", "输出"},
	"output_limit":  {"output", "输出"},
	"timeout":       {"time", "时间"},
	"deadline":      {"time", "时间"},
}

// The warnings that are made here.
var (
	rowsSampled = phrase{
		"{as} holds {given} of {rows} rows of {file}, {sample}; totals computed from it are not totals of the file.",
		"{as} 只含 {file} 的 {rows} 行中的 {given} 行（{sample}）；由它算出的合计不是整个文件的合计。",
	}
	rowsInParts = phrase{
		" For totals, add up the whole file part by part: {read}.",
		"要得到合计，请分块读取整个文件并累加：{read}。",
	}
	rowsInFile  = phrase{" For totals, read the whole file: {read}.", "要得到合计，请读取整个文件：{read}。"}
	rowsByQuery = phrase{
		" Or ask SQL over every row: tools.query(\"SELECT …\").",
		"或对全部数据行执行 SQL：tools.query(\"SELECT …\")。",
	}
	sampleRandom     = phrase{"a random sample (seed {seed})", "随机抽样，seed {seed}"}
	sampleHead       = phrase{"the first rows", "前若干行"}
	artifactRefused  = phrase{"The file {name} was not taken as an artifact: {reason}.", "文件 {name} 未被收为产物：{reason}。"}
	artifactFormulas = phrase{
		"The table {name} holds cells that begin with =, +, -, @ or a tab; a spreadsheet may run them as formulas. Put an apostrophe before them where a person will open it.",
		"表格 {name} 中有以 =、+、-、@ 或制表符开头的单元格，电子表格软件可能会把它们当作公式执行。如要交给人打开，请在前面加单引号。",
	}
	artifactsMore   = phrase{"{count} further files were not taken.", "另有 {count} 个文件未被收取。"}
	artifactsCut    = phrase{"{count} artifacts were saved; {listed} of them are listed.", "共保存 {count} 个产物，此处列出 {listed} 个。"}
	outputTruncated = phrase{
		"{stream} was {bytes} bytes long; only its head and tail were kept. Print less.",
		"{stream} 共 {bytes} 字节，只保留了开头和结尾。请少打印一些。",
	}
	alsoMet      = phrase{"The code also met its limit of {limit}.", "代码还触到了上限：{limit}。"}
	callsRefused = phrase{
		"The sandbox refused system calls: {calls}. Trying again will not change that.",
		"沙箱拒绝了系统调用：{calls}。重试也不会改变。",
	}
	columnsCut = phrase{
		"{table} has {all} columns; the first {listed} are listed.",
		"{table} 有 {all} 列，此处列出前 {listed} 列。",
	}
	warningsCut = phrase{"{count} further warnings are left out.", "另有 {count} 条警告未列出。"}
)
