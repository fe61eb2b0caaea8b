package observe

// finer are the hints of a class for what is known only sometimes; the more is known
// the earlier they stand. They go before those of hints.
var finer = map[class][]phrase{
	classTimeout: {
		{
			"The code was ended after {timeout}, its time limit, and had printed {printed} by then. Check that the loop {loop} comes to an end, and print a summary only (head, value_counts), not every step.",
			"代码运行到 {timeout} 的时间上限后被终止，此前已输出 {printed}。请检查循环 {loop} 是否会结束，并只 print 摘要（head、value_counts），不要每一步都打印。",
		},
		{
			"The code was ended after {timeout}, its time limit, and had printed {printed} by then. Print a summary only (head, value_counts), not every step, and check that the loop that prints comes to an end.",
			"代码运行到 {timeout} 的时间上限后被终止，此前已输出 {printed}。请只 print 摘要（head、value_counts），不要每一步都打印，并检查打印的循环是否会结束。",
		},
		{
			"The code was ended after {timeout}, its time limit. The loop {loop} may never end: check its condition, or bound it (for _ in range(n)). When it does end, do less: fewer rows, pandas operations instead of loops, no sleep.",
			"代码运行到 {timeout} 的时间上限后被终止。循环 {loop} 可能不会结束：请检查其条件，或限定次数（for _ in range(n)）。若它会结束，请减少工作量：更少的行，用 pandas 向量化操作代替循环，不要 sleep。",
		},
	},
	classOutput: {{
		"The code wrote more than {output} of output and was ended. Check that the loop {loop} comes to an end, and print a summary only (head, describe, value_counts), not inside a loop.",
		"代码输出超过 {output}，已被终止。请检查循环 {loop} 是否会结束，并只 print 摘要（head、describe、value_counts），不要在循环里打印。",
	}},
	classMemory: {{
		"The code used more than its memory limit of {memory}. Read a large file in parts and only the columns that you need: {parts}; aggregate early, and avoid copies and large intermediate tables (cross joins, get_dummies).",
		"代码使用的内存超过上限 {memory}。请分块读取大文件，并只取需要的列：{parts}；尽早聚合，避免复制和过大的中间表（交叉连接、get_dummies）。",
	}},
	classModule: {{
		"{own} is not installed and nothing can be installed in the sandbox. If it is a file of your own: only this one program is sent, so put its code into the program. Otherwise use what is there: {packages}.",
		"{own} 没有安装，沙箱内也无法安装（install）任何包。如果它是您自己的文件：只发送这一个程序，请把它的代码写进程序。否则请使用已有的包：{packages}。",
	}},
	classColumn: {{
		"{table} has a column {present}, but what this line works on has none by then: a step before took it out or made it the index (groupby, set_index, x= of a plot), or it is asked for twice. Use .reset_index(), or name another column.",
		"{table} 中有列 {present}，但该行处理的对象此时已没有它：之前的步骤去掉了它或把它变成了索引（groupby、set_index、画图的 x=），或者它被用了两次。请用 .reset_index()，或换用其他列。",
	}},
	classNotDates: {
		{
			"{accessed} holds {held}, not dates. Convert it first, then use .dt: {accessed} = pd.to_datetime({accessed}), with errors=\"coerce\" when some values are no dates.",
			"{accessed} 不是日期（{held}）。请先转换再使用 .dt：{accessed} = pd.to_datetime({accessed})，个别值不是日期时加 errors=\"coerce\"。",
		},
		{
			"{accessed} is not of a date type. Convert it first, then use .dt: {accessed} = pd.to_datetime({accessed}), with errors=\"coerce\" when some values are no dates.",
			"{accessed} 不是日期类型。请先转换再使用 .dt：{accessed} = pd.to_datetime({accessed})，个别值不是日期时加 errors=\"coerce\"。",
		},
	},
	classNotText: {{
		"{accessed} holds other values than text. Convert it first, then use .str: {accessed}.astype(str).str; numbers are compared and computed without it.",
		"{accessed} 不全是文本。请先转换再使用 .str：{accessed}.astype(str).str；数字的比较和计算不需要它。",
	}},
	classNotCategory: {{
		"{accessed} holds no categories. Convert it first, then use .cat: {accessed} = {accessed}.astype(\"category\").",
		"{accessed} 不是分类类型。请先转换再使用 .cat：{accessed} = {accessed}.astype(\"category\")。",
	}},
}
