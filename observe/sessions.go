package observe

import (
	"maps"

	"github.com/cellwall/cellwall"
)

// stopped tells that a budget is used up: no error to mend, and no other try.
func (o *observer) stopped() cellwall.Observation {
	stop := *o.in.Stop
	stop.Suggestion = o.say(stops[stop.Reason], "limit", amount(stop.Limit), "used", amount(stop.Used))
	return cellwall.Observation{Status: cellwall.StatusStopped, Stop: &stop}
}

// stops say what would help, by the budget that was reached.
var stops = map[cellwall.StopReason]phrase{
	cellwall.StopExecutions: {
		"All {limit} executions are used up. Answer with what is known so far, or ask a person to open another session.",
		"{limit} 次执行已全部用完。请用目前已知的内容作答，或请人工另开会话。",
	},
	cellwall.StopFailures: {
		"{used} attempts in a row have failed; another one would not help. Ask the user a clarifying question, or have a person look at it.",
		"已连续失败 {used} 次，再试也不会有帮助。请向用户提出澄清问题，或交由人工查看。",
	},
	cellwall.StopTime: {
		"The executions, and what they left running, took {used} ms of {limit} ms. Answer with what is known so far, or ask for a smaller part of the data.",
		"所有执行及其遗留的后台计算共用时 {used} 毫秒，上限为 {limit} 毫秒。请用目前已知的内容作答，或请求更小范围的数据。",
	},
	cellwall.StopTokenCost: {
		"The tokens cost {used} of {limit}. Answer with what is known so far, and say what is still open.",
		"token 花费已达 {used}，上限为 {limit}。请用目前已知的内容作答，并说明尚未完成的部分。",
	},
	cellwall.StopSameError: {
		"The same kind of error came back {used} times in a row: the way itself does not work. Tell the user what fails and ask how to go on.",
		"同一类错误已连续出现 {used} 次：这条路本身走不通。请告诉用户失败之处，并询问如何继续。",
	},
}

// restored tells what a session went back to because its cell was killed.
func (o *observer) restored() []string {
	r := o.in.Result.Restored
	if r == nil {
		return nil
	}
	if r.Checkpoint == "" {
		return []string{o.say(sessionOver)}
	}
	var all []string
	if r.Cells > 1 {
		all = append(all, o.say(wentBackFar, "earlier", grouped(int64(r.Cells-1))))
	} else {
		all = append(all, o.say(wentBack))
	}
	if !r.Files {
		all = append(all, o.say(filesStayed))
	}
	for _, n := range r.Lost {
		said := o.notice(n)
		if names := n.Args["names"]; oneLine(names) != "" && said != "" {
			said += o.say(theyAre, "names", names)
		}
		all = append(all, said)
	}
	return all
}

var (
	wentBack = phrase{
		"The cell was killed; the session goes on with the state from before it, and everything from earlier cells is there.",
		"该单元格已被终止；会话从它运行之前的状态继续，之前各单元格的结果都还在。",
	}
	wentBackFar = phrase{
		"The cell was killed, and the session goes on with an older state: nothing is left of the last {earlier} cells before it either. Run them again.",
		"该单元格已被终止，会话从更早的状态继续：它之前的最后 {earlier} 个单元格也没有留下结果。请重新运行它们。",
	}
	filesStayed = phrase{
		"Files in /workspace/output did not go back with it; what the cell had written there may be incomplete.",
		"/workspace/output 中的文件没有一并恢复；该单元格写入的内容可能不完整。",
	}
	sessionOver = phrase{
		"The session is over: there is no state to go back to. Open another one and run the cells again.",
		"会话已结束：没有可以恢复的状态。请另开会话并重新运行各单元格。",
	}
	theyAre = phrase{" They are: {names}.", "它们是：{names}。"}
)

// sessionHints go before all others in a cell of a session.
var sessionHints = map[class][]phrase{
	className: {{
		"The name {name} is not defined. Ready to use are {df}, dfs, out_dir, pd, np and plt, and what earlier cells of this session defined and no rollback took back; define the rest in this cell.",
		"名称 {name} 未定义。可直接使用的有 {df}、dfs、out_dir、pd、np、plt，以及本会话之前的单元格定义且未被回滚的名称；其余请在本单元格中定义。",
	}, {
		"The name {name} is not defined. No data file was given, so no df is loaded; ready to use are pd, np, plt and out_dir, and what earlier cells of this session defined and no rollback took back; define the rest in this cell.",
		"名称 {name} 未定义。没有提供数据文件，因此没有加载 df；可直接使用的有 pd、np、plt、out_dir，以及本会话之前的单元格定义且未被回滚的名称；其余请在本单元格中定义。",
	}, {
		"A name is not defined. What earlier cells of this session defined and no rollback took back is there; define the rest in this cell.",
		"有名称未定义。本会话之前的单元格定义且未被回滚的名称都在；其余请在本单元格中定义。",
	}},
	classInterrupt: {{
		"The cell was interrupted. What it had done until then is kept; run it again only when it is still wanted.",
		"该单元格被中断，此前完成的部分仍然保留。仅在仍然需要时再运行。",
	}},
}

// notices by code, of all rooms.
var notices = func() map[string]phrase {
	all := maps.Clone(runNotices)
	maps.Copy(all, sessionNotices)
	return all
}()

// sessionNotices tell what concerns the checkpoints of a session.
var sessionNotices = map[string]phrase{
	cellwall.LostThreads: {
		"Background threads of earlier cells are gone ({count}), and locks that they held stay locked. Start them again.",
		"之前单元格的后台线程已不存在（{count} 个），它们持有的锁不会释放。请重新启动。",
	},
	cellwall.LostPools: {
		"Executors and pools of earlier cells have lost their workers ({count}). Make them anew.",
		"之前单元格的执行器和进程池已失去工作单元（{count} 个）。请重新创建。",
	},
	cellwall.LostProcesses: {
		"Child processes of earlier cells were ended ({count}). Start them again.",
		"之前单元格的子进程已结束（{count} 个）。请重新启动。",
	},
	cellwall.LostLocks: {
		"Record locks on files were let go ({count}). Take them again.",
		"文件上的记录锁已释放（{count} 个）。请重新加锁。",
	},
	cellwall.LostTimers: {
		"Timers of earlier cells (alarm, setitimer) are off ({count}). Set them again.",
		"之前单元格的定时器（alarm、setitimer）已失效（{count} 个）。请重新设置。",
	},
	cellwall.LostPipes: {
		"What was read from pipes and sockets meanwhile does not come back ({count}).",
		"其间从管道和套接字读走的数据无法恢复（{count} 个）。",
	},
	cellwall.LostMappings: {
		"Shared memory keeps what was written to it meanwhile ({count}): it did not go back.",
		"共享内存保留其间写入的内容（{count} 处），没有恢复。",
	},
	cellwall.LostFiles: {
		"Some files in /workspace/output could not be put back ({count}). Look at them before you use them.",
		"/workspace/output 中有些文件无法恢复（{count} 个）。使用前请先检查。",
	},
	cellwall.LostVariables: {
		"Some variables could not go along ({count}): {names}. Make them anew.",
		"有些变量无法一并带走（{count} 个）：{names}。请重新创建。",
	},
	cellwall.LostInputs: {
		"Input files were changed since the session began ({count}): {names}. They are not what df was read from.",
		"自会话开始以来输入文件已被修改（{count} 个）：{names}。它们已不是 df 所读取的内容。",
	},
	"files_not_kept": {
		"The files in /workspace/output could not be kept with the state ({reason}): they do not go back when a cell is killed or undone.",
		"/workspace/output 中的文件未能与状态一起保存（{reason}）：单元格被终止或撤销时，这些文件不会恢复。",
	},
	"files_left_out": {
		"Some files in /workspace/output are too large to be kept with the state ({count}): {names}. They do not go back when a cell is killed or undone.",
		"/workspace/output 中有些文件太大，未能与状态一起保存（{count} 个）：{names}。单元格被终止或撤销时，它们不会恢复。",
	},
	"checkpoint_failed": {
		"No checkpoint could be taken after an earlier cell: a cell that is killed goes back behind it.",
		"之前有单元格之后未能保存检查点：若单元格被终止，会话会回到更早的状态。",
	},
	"checkpoint_skipped": {
		"The cells change much memory, so checkpoints are taken less often: {cells} cells go without one, and run again if a later one is killed.",
		"单元格改动的内存较多，检查点的间隔因此变长：有 {cells} 个单元格没有检查点，若之后的单元格被终止，需要重新运行它们。",
	},
	"checkpoint_too_large": {
		"The state is too large for a checkpoint; the session goes on without. A cell that is killed goes back to the last one that was taken.",
		"状态过大，无法保存检查点；会话会继续，但没有新的检查点。若单元格被终止，会话会回到最后一次保存的状态。",
	},
	"checkpoint_unavailable": {
		"This host cannot keep checkpoints: a cell that is killed ends the session.",
		"此主机无法保存检查点：单元格一旦被终止，会话即告结束。",
	},
}
