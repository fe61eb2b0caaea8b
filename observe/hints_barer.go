package observe

// barer are the hints of a class for when a value is not known that the one in hints
// names; {df} is known when data was given, and only then is there a df.
var barer = map[class][]phrase{
	classRefused: {
		{
			"The code was refused before it ran ({rules}). Leave out what the findings name and use pandas, numpy and matplotlib instead.",
			"生成的代码包含不安全操作，已被拦截（{rules}）。请去掉上述内容，改用 pandas、numpy、matplotlib。",
		},
		{
			"The code was refused before it ran. Leave out what the findings name and use pandas, numpy and matplotlib instead.",
			"生成的代码包含不安全操作，已被拦截。请去掉上述内容，改用 pandas、numpy、matplotlib。",
		},
	},
	classStrict: {{
		"The profile strict does not give this to code, and trying again in other words will not help. Use pandas, numpy and matplotlib; save files under out_dir with their own methods (to_csv, savefig).",
		"strict 配置不向代码提供此功能，换一种写法也没有用。请用 pandas、numpy、matplotlib；文件请用它们自己的方法保存到 out_dir（to_csv、savefig）。",
	}},
	classNetwork: {{
		"The network is off in the sandbox and trying again will not help. No data file was given, so no df is loaded; ready to use are pd, np, plt and out_dir. Ask the user for the data as a file.",
		"沙箱没有网络（network is off），重试也没有用。没有提供数据文件，因此没有加载 df；可直接使用的有 pd、np、plt、out_dir。请让用户以文件提供数据。",
	}},
	classMagic: {{
		"This command is a notebook's and does not run in the sandbox. Do the same in Python, or leave the line out.",
		"这是 notebook 的命令，沙箱内不能运行。请用 Python 完成，或去掉这一行。",
	}},
	classOnline: {
		{
			"{name} needs a network, and the network is off in the sandbox: neither it nor another library for it (urllib, http.client, socket) will help. No data file was given, so no df is loaded; ready to use are pd, np, plt and out_dir. Ask the user for the data as a file.",
			"{name} 需要网络，而沙箱没有网络（network is off）：换用其他网络库（urllib、http.client、socket）也没有用。没有提供数据文件，因此没有加载 df；可直接使用的有 pd、np、plt、out_dir。请让用户以文件提供数据。",
		},
		{
			"This needs a network, and the network is off in the sandbox: no other library (urllib, http.client, socket) will help.",
			"这需要网络，而沙箱没有网络（network is off）：换用其他网络库（urllib、http.client、socket）也没有用。",
		},
	},
	classModule: {{
		"A module is not installed and nothing can be installed in the sandbox. Use what is there: {packages}.",
		"缺少的模块没有安装，沙箱内也无法安装（install）任何包。请使用已有的包：{packages}。",
	}},
	classImport: {{
		"The installed version of the module does not have it. Look with dir(module), or use another function. Installed are: {packages}.",
		"已安装的模块版本里没有它。请用 dir(模块) 查看，或换用其他函数。已安装：{packages}。",
	}},
	classFile: {{
		"There is no such file. No data file was given, so no df is loaded; ready to use are pd, np, plt and out_dir. Put small data into the code, or ask the user for the file.",
		"没有这个文件。没有提供数据文件，因此没有加载 df；可直接使用的有 pd、np、plt、out_dir。请把少量数据直接写进代码，或让用户提供文件。",
	}},
	classSocket: {{
		"The sandbox refused a socket: it has no network and no sockets but pairs (socket.socketpair). Trying again will not help; leave this step out.",
		"沙箱拒绝了套接字：没有网络，除 socket.socketpair 外也没有其他套接字。重试也没有用，请去掉这一步。",
	}},
	classSyscall: {{
		"The sandbox refused a system call. This will not change with another try; use plain pandas, numpy and matplotlib.",
		"沙箱拒绝了系统调用，重试也不会改变。请使用普通的 pandas、numpy、matplotlib。",
	}},
	classColumn: {
		{
			"The table has no column {name}. Print its columns first (print(list(t.columns))) and write the name exactly so.",
			"表中没有列 {name}。请先打印它的列名（print(list(t.columns))），并原样使用。",
		},
		{
			"The table has no such column. Print its columns first (print(list(t.columns))) and write the name exactly so.",
			"表中没有这一列。请先打印它的列名（print(list(t.columns))），并原样使用。",
		},
	},
	classTable: {
		{
			"dfs has no such table. Its keys are: {keys}; write one exactly so.",
			"dfs 中没有这个表。其中的键有：{keys}；请原样使用。",
		},
		{
			"dfs is empty: no data file was given. Ready to use are pd, np, plt and out_dir.",
			"dfs 是空的：没有提供数据文件。可直接使用的有 pd、np、plt、out_dir。",
		},
	},
	classKey: {{
		"The key is not there. Print the keys first, or use .get() with a default.",
		"键不存在。请先打印有哪些键，或用带默认值的 .get()。",
	}},
	classAttribute: {
		{
			"The object has no attribute {name}. Check its type with type(x); columns of a table t are reached as t[\"name\"].",
			"该对象没有属性 {name}。请先用 type(x) 确认类型；访问表 t 的列请写 t[\"列名\"]。",
		},
		{
			"The object has no such attribute. Check its type with type(x); columns of a table t are reached as t[\"name\"].",
			"该对象没有这个属性。请先用 type(x) 确认类型；访问表 t 的列请写 t[\"列名\"]。",
		},
	},
	classRemoved: {{
		"This is gone from the installed version of the library. Look with dir(module) or help(f) for what took its place.",
		"已安装的库版本不再有这种写法。请用 dir(模块) 或 help(f) 查看替代写法。",
	}},
	className: {
		{
			"The name {name} is not defined. No data file was given, so no df is loaded; ready to use are pd, np, plt and out_dir. Nothing is left from an earlier run, so define the rest in the code.",
			"名称 {name} 未定义。没有提供数据文件，因此没有加载 df；可直接使用的有 pd、np、plt、out_dir。之前运行的变量不会保留，其余请在代码中定义。",
		},
		{
			"A name is not defined. Nothing is left from an earlier run: define every name in the code before it is used.",
			"有名称未定义。之前运行的变量不会保留：请在使用前在代码中定义。",
		},
	},
	classDate: {{
		"Not every value is a date in that form. Use pd.to_datetime(s, errors=\"coerce\", format=\"mixed\") and look at the rows that become NaT, or name the exact format.",
		"并非所有值都是该格式的日期。请用 pd.to_datetime(s, errors=\"coerce\", format=\"mixed\") 并检查变成 NaT 的行，或写明确切的 format。",
	}},
	classThousands: {{
		"The numbers are text with thousands separators, percent or currency signs. Clean first: pd.to_numeric(s.str.replace(\",\", \"\").str.strip(\"%$€£¥ \"), errors=\"coerce\").",
		"这些数字是带千分位逗号、百分号或货币符号的文本。请先清洗：pd.to_numeric(s.str.replace(\",\", \"\").str.strip(\"%$€£¥ \"), errors=\"coerce\")。",
	}},
	classEncoding: {{
		"The file has another encoding than assumed. Name it, for example encoding=\"gb18030\" or \"latin-1\".",
		"文件编码与假定的不同。请指定编码，例如 encoding=\"gb18030\" 或 \"latin-1\"。",
	}},
	classTokens: {{
		"The text does not read as a table in that form. Print its first lines, then name the separator (sep), the rows to skip (skiprows) and the header.",
		"按这种方式无法把文本读成表格。请先打印开头几行，再指明分隔符（sep）、要跳过的行（skiprows）和表头（header）。",
	}},
}
