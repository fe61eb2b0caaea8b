package observe

import "maps"

// hints says what to do next, by class. Values in braces are facts.
var hints = merged(limitHints, wallHints, columnHints, valueHints, codeHints)

func merged(parts ...map[class]phrase) map[class]phrase {
	all := map[class]phrase{}
	for _, p := range parts {
		maps.Copy(all, p)
	}
	return all
}

// limitHints are for code that met a limit or died.
var limitHints = map[class]phrase{
	classTimeout: {
		"The code was ended after {timeout}, its time limit. Check that every loop comes to an end; then work on fewer rows or columns, aggregate before plotting, and use pandas operations instead of Python loops over rows. Do not wait or sleep.",
		"代码运行到 {timeout} 的时间上限后被终止。请先检查每个循环是否会结束；再减少行数或列数，先聚合再画图，用 pandas 向量化操作代替逐行循环。不要等待或 sleep。",
	},
	classMemory: {
		"The code used more than its memory limit of {memory}. Keep only the columns you need, aggregate early, avoid copies and large intermediate tables (cross joins, get_dummies, wide pivots).",
		"代码使用的内存超过上限 {memory}。请只保留需要的列，尽早聚合，避免复制和过大的中间表（交叉连接、get_dummies、过宽的透视表）。",
	},
	classOutput: {
		"The code wrote more than {output} of output and was ended. Print a summary only (head, describe, value_counts), not whole tables and not inside a loop, and check that every loop comes to an end.",
		"代码输出超过 {output}，已被终止。请只 print 摘要（head、describe、value_counts），不要打印整张表，也不要在循环里打印，并检查每个循环是否会结束。",
	},
	classDisk: {
		"There is no space left: /workspace/output holds {workspace} in {workspace_files} files and folders, /tmp and /dev/shm together {tmp} in {tmp_files}. Write fewer or smaller files, or keep the data in memory.",
		"磁盘空间已满：/workspace/output 上限 {workspace}、{workspace_files} 个文件和目录，/tmp 与 /dev/shm 合计上限 {tmp}、{tmp_files} 个。请少写文件或写更小的文件，或把数据留在内存里。",
	},
	classMapped: {
		"The interpreter wrote to mapped memory that has no space behind it ({signal}); this is a limit, no Python exception: /workspace/output holds {workspace}, /tmp and /dev/shm (shared memory) together {tmp}. Use a smaller np.memmap or shared block, or an ordinary array.",
		"解释器写入了背后没有空间的内存映射（{signal}），这是上限所致，不是 Python 异常：/workspace/output 上限 {workspace}，/tmp 与 /dev/shm（共享内存）合计上限 {tmp}。请缩小 np.memmap 或共享内存块，或改用普通数组。",
	},
	classProcesses: {
		"The sandbox allows {processes} processes and threads together. Use fewer workers (n_jobs=1), or do the work in one process.",
		"沙箱最多允许 {processes} 个进程和线程。请减少并行数（n_jobs=1），或在单个进程中完成。",
	},
	classStuck: {
		"The code met its limit of {processes} processes and threads and was ended after {timeout}. Most often a library waits for ever for workers that could not start: use one worker (n_jobs=1), or do the work in one process.",
		"代码触到 {processes} 个进程和线程的上限，并在 {timeout} 后被终止。多半是某个库一直在等待未能启动的工作单元：请只用一个并行单元（n_jobs=1），或在单个进程中完成。",
	},
	classFiles: {
		"Too many files are open at once. Close each file after use (with open(…) as f:) and figures with plt.close().",
		"同时打开的文件过多。请用完即关（with open(…) as f:），并用 plt.close() 关闭图形。",
	},
	classCrashed: {
		"The interpreter itself died ({signal}); this is no Python exception. Avoid the native call that did it, and try the same step with plain pandas or on less data.",
		"解释器进程崩溃（{signal}），这不是 Python 异常。请避开引发崩溃的底层调用，改用普通 pandas 写法或更少的数据。",
	},
	classExit: {
		"The code ended the interpreter by itself ({exit}). Leave out sys.exit, exit and os._exit; let the code run to its end.",
		"代码自行结束了解释器（{exit}）。请去掉 sys.exit、exit 和 os._exit，让代码正常运行到末尾。",
	},
	classProtocol: {
		"The code damaged the channel over which results are returned. Do not touch open file descriptors; print results or leave them as the last expression.",
		"代码破坏了返回结果的通道。请不要操作已打开的文件描述符；请用 print 输出结果或把结果写成最后一个表达式。",
	},
	classInterrupt: {
		"The code was interrupted, most often because a library could not start its threads: the sandbox allows {processes} processes and threads. Use one worker.",
		"代码被中断，多半是因为某个库无法启动线程：沙箱最多允许 {processes} 个进程和线程。请只用一个并行单元。",
	},
	classCancelled: {
		"The run was cancelled by its caller. Run it again only when it is still wanted.",
		"运行被调用方取消。仅在仍然需要时再运行。",
	},
	classInternal: {
		"The sandbox failed, not the code. The same code may be run again; when it fails again, tell the operator.",
		"是沙箱出错，不是代码的问题。可以用同样的代码再试一次；如再次失败，请告知运维人员。",
	},
}

// wallHints are for what the sandbox does not give.
var wallHints = map[class]phrase{
	classRefused: {
		"The code was refused before it ran ({rules}). Leave out what the findings name and use pandas, numpy and matplotlib on {df} instead.",
		"生成的代码包含不安全操作，已被拦截（{rules}）。请去掉上述内容，改用 pandas、numpy、matplotlib 处理 {df}。",
	},
	classStrict: {
		"The profile strict does not give this to code, and trying again in other words will not help. Use pandas, numpy and matplotlib on {df}; save files under out_dir with their own methods (to_csv, savefig).",
		"strict 配置不向代码提供此功能，换一种写法也没有用。请用 pandas、numpy、matplotlib 处理 {df}；文件请用它们自己的方法保存到 out_dir（to_csv、savefig）。",
	},
	classForbidden: {
		"The operator of this service has blocked this code, and sending it again will not help. Reach the goal in another way, or ask the operator.",
		"运营方已禁止运行这段代码，重试没有用。请换一种方法，或联系运营方。",
	},
	classRejected: {
		"The code was refused before it ran. Send plain Python source in UTF-8 within the size limit; large data belongs in an input file, not in the code.",
		"代码在运行前被拒绝。请提交大小在上限之内的 UTF-8 Python 源代码；大量数据应放在输入文件里，不要写进代码。",
	},
	classNetwork: {
		"The network is off in the sandbox and trying again will not help. The data is already in {df}; the input files are {inputs}.",
		"沙箱没有网络（network is off），重试也没有用。数据已经在 {df} 中；输入文件：{inputs}。",
	},
	classModule: {
		"{name} is not installed and nothing can be installed in the sandbox. Use what is there: {packages}.",
		"{name} 没有安装，沙箱内也无法安装（install）任何包。请使用已有的包：{packages}。",
	},
	classOwn: {
		"Only this one program is sent: no other file of yours stands beside it. Put the code of that file into the program.",
		"只发送这一个程序：它旁边没有您的其他文件。请把那个文件的代码写进程序。",
	},
	classOnline: {
		"{name} needs a network, and the network is off in the sandbox: neither it nor another library for it (urllib, http.client, socket) will help. The data is already in {df}; the input files are {inputs}.",
		"{name} 需要网络，而沙箱没有网络（network is off）：换用其他网络库（urllib、http.client、socket）也没有用。数据已经在 {df} 中；输入文件：{inputs}。",
	},
	classInstall: {
		"Nothing can be installed in the sandbox: pip and its like have no effect. Installed are: {packages}. Write the code with these.",
		"沙箱内无法安装（install）任何包，pip 等命令不起作用。已安装：{packages}。请用这些包编写代码。",
	},
	classTool: {
		"A call of tools came to nothing, and the message says why. Change the call as it says (help(tools.<name>) shows what it takes), or do without it; only after ToolBusy the same call may succeed.",
		"对 tools 的调用没有成功，原因见错误信息。请按提示修改调用（help(tools.<名称>) 可查看参数），或不使用它；只有 ToolBusy 时重复同样的调用才可能成功。",
	},
	classShell: {
		"There is no shell in the sandbox, and no other program than Python. Do it in Python, with what is installed: {packages}.",
		"沙箱内没有 shell，除 Python 外也没有其他程序。请用 Python 完成，已安装：{packages}。",
	},
	classMagic: {
		"This command is a notebook's and does not run in the sandbox. What to do instead: {written}.",
		"这是 notebook 的命令，沙箱内不能运行。替代做法：{written}。",
	},
	classFile: {
		"There is no such file. The data is already loaded: use {df} (and dfs for further tables). The real input files are: {inputs}.",
		"没有这个文件。数据已经加载好：请直接使用 {df}（其他表在 dfs 中）。真实的输入文件是：{inputs}。",
	},
	classReadOnly: {
		"{place} is closed to the code. Only /workspace/output (out_dir, the working directory) and /tmp are writable: save under a plain file name there.",
		"代码无权写入{place}。只有 /workspace/output（out_dir，即当前目录）和 /tmp 可写：请用普通文件名保存到那里。",
	},
	classFolder: {
		"The folder for {place} does not exist. Only /workspace/output (out_dir, the working directory) and /tmp are writable: save under a plain file name there, or make a folder in it first with os.makedirs(name, exist_ok=True).",
		"{place}所在的目录不存在。只有 /workspace/output（out_dir，即当前目录）和 /tmp 可写：请用普通文件名保存到那里，或先用 os.makedirs(名称, exist_ok=True) 在其中建目录。",
	},
	classRights: {
		"The code has no rights over other processes, owners, priorities or limits, and trying again will not help. Leave this step out.",
		"代码无权改动其他进程、文件属主、优先级或资源上限，重试也没有用。请去掉这一步。",
	},
	classTerminal: {
		"There is no terminal in the sandbox. Leave out what asks for one; print the output instead.",
		"沙箱内没有终端。请去掉需要终端的操作，直接用 print 输出。",
	},
	classSocket: {
		"The sandbox refused a socket ({calls}): it has no network and no sockets but pairs (socket.socketpair). Trying again will not help; leave this step out.",
		"沙箱拒绝了套接字（{calls}）：没有网络，除 socket.socketpair 外也没有其他套接字。重试也没有用，请去掉这一步。",
	},
	classInput: {
		"The sandbox is not interactive: there is no stdin, input() cannot ask anyone. Put the value into the code.",
		"沙箱不是交互式的：没有标准输入（stdin），input() 无法提问。请把值直接写进代码。",
	},
	classSyscall: {
		"The sandbox refused a system call ({calls}). This will not change with another try; use plain pandas, numpy and matplotlib.",
		"沙箱拒绝了系统调用（{calls}），重试也不会改变。请使用普通的 pandas、numpy、matplotlib。",
	},
	classDataset: {
		"The input file could not be read as a table, so no code ran. Ask the user for an intact file in CSV, TSV, XLSX, JSON, JSONL or Parquet.",
		"输入文件无法解析为表格，代码没有运行。请让用户提供完好的 CSV、TSV、XLSX、JSON、JSONL 或 Parquet 文件。",
	},
}

// columnHints are for names that are not there.
var columnHints = map[class]phrase{
	classColumn: {
		"{table} has no column {name}. Use a name from available_columns exactly as written there.",
		"{table} 中没有列 {name}。请严格按 available_columns 中的写法使用列名。",
	},
	classKey: {
		"The key {name} is not there. Print the keys first, or use .get() with a default.",
		"键 {name} 不存在。请先打印有哪些键，或用带默认值的 .get()。",
	},
	classTable: {
		"dfs has no table {name}. Its keys are: {keys}; write one exactly so. What the first file holds is {df}.",
		"dfs 中没有表 {name}。其中的键有：{keys}；请原样使用。第一个文件的数据就是 {df}。",
	},
	classAttribute: {
		"The object has no attribute {name}. Check its type with type(x); columns of a table are reached as {df}[\"name\"].",
		"该对象没有属性 {name}。请先用 type(x) 确认类型；访问表的列请写 {df}[\"列名\"]。",
	},
	classRemoved: {
		"This is gone from the installed version of the library. Write instead: {instead}",
		"已安装的库版本不再有这种写法。请改为：{instead}",
	},
	className: {
		"The name {name} is not defined. Ready to use are {df}, dfs, out_dir, pd, np and plt; nothing is left from an earlier run, so define the rest in the code.",
		"名称 {name} 未定义。可直接使用的有 {df}、dfs、out_dir、pd、np、plt；之前运行的变量不会保留，其余请在代码中定义。",
	},
	classImport: {
		"The module is there but has no {name} in the installed version. Look with dir(module), or use another function. Installed are: {packages}.",
		"模块存在，但已安装的版本里没有 {name}。请用 dir(模块) 查看，或换用其他函数。已安装：{packages}。",
	},
}
