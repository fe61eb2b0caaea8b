package mcp

import (
	"context"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cellwall/cellwall/tools"
)

// promptName is the one prompt.
const promptName = tools.PromptName

// mostQuestion is how long a question may be, in characters: what [tools.Prompt] gives
// whole.
const mostQuestion = 2000

func (s *Session) addPrompts() {
	l := s.opts.Language
	s.server.AddPrompt(&sdk.Prompt{
		Name: promptName, Title: l.Text(promptTitle), Description: l.Text(promptAbout),
		Arguments: []*sdk.PromptArgument{{Name: "question", Title: l.Text(questionTitle), Description: l.Text(questionAbout)}},
	}, s.prompt)
}

// prompt gives what a model should know of the data, and the user's question. Who
// takes it asks something: the router begins anew.
func (s *Session) prompt(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	question := req.Params.Arguments["question"]
	if utf8.RuneCountInString(question) > mostQuestion || !utf8.ValidString(question) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "question has more than 2,000 characters, or is no UTF-8"}
	}
	leave, err := s.place()
	if err != nil {
		return nil, s.protocol(err)
	}
	defer leave()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	text, err := s.opts.Toolbox.Prompt(ctx, question)
	if err == nil {
		err = s.opts.Toolbox.Asked(ctx, question)
	}
	if err != nil {
		return nil, s.protocol(err)
	}
	s.offer()
	text += "\n" + s.opts.Language.Text(runIt) + "\n"
	return &sdk.GetPromptResult{
		Description: s.opts.Language.Text(promptAbout),
		Messages:    []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}},
	}, nil
}

var (
	promptTitle   = tools.Phrase{En: "Analyse data", Zh: "分析数据"}
	promptAbout   = tools.Phrase{En: "The tables, the libraries and the limits of programs, with a question about the data", Zh: "数据表、可用库和代码限制，以及关于数据的问题"}
	questionTitle = tools.Phrase{En: "Question", Zh: "问题"}
	questionAbout = tools.Phrase{En: "What to find out", Zh: "想要了解什么"}
	runIt         = tools.Phrase{
		En: "Have the program run by run_python and answer with what it printed. Where query_data or make_chart do, call those instead.",
		Zh: "请用 run_python 运行代码，并根据其输出回答。若 query_data 或 make_chart 足够，请改用它们。",
	}
)
