package tools

// why says why a tool is offered at a stage, or why it is not.
func (s State) why(stage Stage, tool string) Phrase {
	if stage.offers(tool) {
		return offeredBecause[tool]
	}
	switch stage {
	case StageStopped:
		return Phrase{"A budget of this session is used up.", "本会话的一项预算已用完。"}
	case StageWaiting:
		return Phrase{"A person has been asked and has not answered yet.", "已请求人工检查，尚未得到答复。"}
	case StageNew:
		return Phrase{"The data have not been inspected yet.", "尚未查看数据结构。"}
	case StageClosed:
		if s.Task == TaskWrite {
			return Phrase{"Programs must not change business systems.", "代码不得对业务系统执行写操作。"}
		}
		return Phrase{"Programs get no network and no files but the datasets.", "代码没有网络访问，也不能读取数据集以外的文件。"}
	case StageStuck:
		if s.Human == HumanRejected {
			return Phrase{"A person has looked at it and said no.", "人工检查未通过。"}
		}
		return Phrase{"Two programs in a row have failed.", "代码已连续失败两次。"}
	case StageSimple, StageSteps:
		if s.Task == TaskUnknown {
			return Phrase{
				"No question is known that needs a program; run_python is offered once query_data or make_chart was tried.",
				"尚未得知需要编写代码的问题；试用 query_data 或 make_chart 之后将开放 run_python。",
			}
		}
	}
	return Phrase{"The question has one step, which SQL or a chart answers with every row.", "问题只需一步，用 SQL 或图表即可基于全部数据行回答。"}
}

// next says what to do where no tool would do it, with what is offered all the same.
func (s State) next(stage Stage, l Language) string {
	way := s.way(stage)
	switch {
	case stage != StageStuck || !s.Unheard:
	case s.renews():
		way = answerOrPrompt
	default:
		way = takePrompt
	}
	return l.Text(way, "tools", l.list(s.offered()), "prompt", PromptName)
}

// way says what to do where no tool would do it.
func (s State) way(stage Stage) Phrase {
	switch stage {
	case StageStopped:
		return Phrase{
			"Make no further call. Say what was found so far and which limit ended it.",
			"请勿再调用工具。说明目前的结论以及触发的限制。",
		}
	case StageWaiting:
		return Phrase{"Make no further call until the person has answered.", "在人工答复之前请勿再调用工具。"}
	case StageClosed:
		if s.Task == TaskWrite {
			return Phrase{
				"Say that this must be done in the business system itself, by somebody who may.",
				"请说明该操作须由有权限的人员在业务系统中完成。",
			}
		}
		return Phrase{
			"Say which data are missing; the user can upload them, or the operator can offer a tool that fetches them.",
			"请说明缺少哪些数据；用户可以上传，或由管理员提供专门的获取工具。",
		}
	case StageStuck, StageNew, StageSimple, StageSteps:
	}
	return Phrase{
		"Do not try again. Ask the user one clarifying question, or ask for a human check; SQL and charts are still offered.",
		"请勿继续重试。向用户提出一个澄清问题，或请求人工检查；SQL 与图表工具仍可使用。",
	}
}

// whyNoSQL says why SQL is not to be had, and what does instead.
func (s State) whyNoSQL() Phrase {
	if s.offers(RunPython) {
		return noSQLPython
	}
	return noSQL
}

// WhyOverran tells a model what to do after a limit has ended a program of ours.
func (s State) WhyOverran(tool string, l Language) string {
	way := overranOnly
	if s.offers(RunPython) {
		way = overranPython
	}
	return l.Text(overran, "tool", tool, "python", l.Text(way))
}

var (
	offeredBecause = map[string]Phrase{
		InspectData: {"Looking at the data is always allowed.", "随时可以查看数据结构。"},
		QueryData:   {"The data are known; SQL sees every row.", "数据结构已知；SQL 可查询全部数据行。"},
		MakeChart:   {"The data are known; a chart has a written spec.", "数据结构已知；图表由规格生成。"},
		RunPython:   {"The question needs several steps or more than SQL can say.", "问题需要多步处理，或超出 SQL 的表达能力。"},
	}
	noSQL = Phrase{
		"SQL is not set up here. make_chart also gives the numbers that it draws; run_python is offered once that does not do.",
		"此处未配置 SQL。make_chart 同时返回所绘数值；若仍不够，将开放 run_python。",
	}
	noSQLPython = Phrase{
		"SQL is not set up here. make_chart also gives the numbers that it draws; run_python, which is offered now, does the rest.",
		"此处未配置 SQL。make_chart 同时返回所绘数值；其余可用现已开放的 run_python。",
	}
	overran = Phrase{
		"The data were too large for {tool} to answer this within its limits. Ask for less (name few columns, filter, group; no sort or join of all rows)" +
			"{python}",
		"数据过大，{tool} 未能在限制内完成。请缩小范围（只取少数列、先过滤或分组，不要对全部行排序或连接）{python}",
	}
	overranPython = Phrase{
		", or call run_python, which is offered now, and read the file in parts: pd.read_csv('/workspace/input/…', usecols=[…], chunksize=200_000).",
		"；或改用现已开放的 run_python 分块读取：pd.read_csv('/workspace/input/…', usecols=[…], chunksize=200_000)。",
	}
	overranOnly    = Phrase{".", "。"}
	answerOrPrompt = Phrase{
		"Do not try again. Ask the user one clarifying question, or answer with what is offered ({tools}). Once SQL or a chart has answered, " +
			"run_python is offered again, one time; when the user takes the prompt {prompt}, at once.",
		"请勿继续重试。向用户提出一个澄清问题，或用现有工具（{tools}）回答。SQL 或图表成功一次后将再次开放 run_python，仅此一次；用户使用提示 {prompt} 后立即重新开放。",
	}
	takePrompt = Phrase{
		"Do not try again. Ask the user one clarifying question, and to begin anew with the prompt {prompt}: run_python is offered again when they take it. " +
			"Still offered: {tools}.",
		"请勿继续重试。向用户提出一个澄清问题，并请用户使用提示 {prompt} 重新开始：届时将再次开放 run_python。仍可使用：{tools}。",
	}
	unknownTool = Phrase{"There is no tool {tool}.", "没有名为 {tool} 的工具。"}
	takeOne     = Phrase{"Take one of: {tools}.", "请使用：{tools}。"}
	callThat    = Phrase{"Call {tool}.", "请调用 {tool}。"}
)
