package tools

// FetchData is the fifth tool: it brings a file from the web, outside of every
// sandbox, and exists only where the operator allows hosts ([State.Hosts]).
const FetchData = "fetch_data"

// Fetch asks for a file of the web. That its host is allowed is for who fetches to
// see.
type Fetch struct {
	URL string `json:"url"`
}

// Of describes the tools of offers, which are those that exist there, in their order.
func Of(l Language, offers []Offer) []Tool {
	all := All(l)
	list := make([]Tool, 0, len(offers))
	for _, o := range offers {
		if o.Tool == FetchData {
			list = append(list, Tool{
				Name: FetchData, Description: l.Text(describe[FetchData]) + l.Text(allowedHosts, "hosts", cut(o.Hosts, mostHosts)), Schema: schemaOf(FetchData), ReadOnly: true,
			})
			continue
		}
		for _, t := range all {
			if t.Name == o.Tool {
				list = append(list, t)
			}
		}
	}
	return list
}

// mostHosts is how much of the list of hosts a model is told, in characters.
const mostHosts = 300

var allowedHosts = Phrase{" Allowed hosts: {hosts}.", "允许的主机：{hosts}。"}

// exists is whether there is such a tool at all.
func (s State) exists(tool string) bool {
	return describe[tool] != (Phrase{}) && (tool != FetchData || s.Hosts != "")
}

// names lists the tools that exist.
func (s State) names() []string {
	if s.Hosts == "" {
		return Names()
	}
	return append(Names(), FetchData)
}

// mayFetch is whether fetch_data is offered: when the user asks for data from
// elsewhere, or nobody has told what is asked for. What the data say counts for
// nothing.
func (s State) mayFetch(stage Stage) bool {
	switch {
	case s.Hosts == "" || stage == StageStopped || stage == StageWaiting:
		return false
	case s.Task == TaskExternal:
		return true
	}
	return s.Task == TaskUnknown && s.Inspected
}

// brought is whether what was asked for from elsewhere is here: then programs may
// work with it as with any data.
func (s State) brought() bool { return s.Task == TaskExternal && s.Hosts != "" && s.Fetched > 0 }

// whyFetch says why fetch_data is offered, or not.
func (s State) whyFetch(stage Stage) Phrase {
	switch {
	case s.mayFetch(stage):
		return Phrase{"Data from elsewhere come through this tool, from allowed hosts only.", "外部数据只能通过此工具从允许的主机获取。"}
	case stage == StageStopped || stage == StageWaiting:
		return s.why(stage, RunPython)
	case stage == StageNew && s.Task == TaskUnknown:
		return Phrase{"The data have not been inspected yet.", "尚未查看数据结构。"}
	}
	return Phrase{"The question does not ask for data from elsewhere.", "问题不需要外部数据。"}
}

// Beside says where a program finds a file that came after its tables were read.
func Beside(l Language, file string) string { return l.Text(besideTables, "file", quoted(file)) }

var besideTables = Phrase{
	`It is not in dfs: read the file {file} in the working directory.`,
	"它不在 dfs 中：请读取工作目录下的文件 {file}。",
}
