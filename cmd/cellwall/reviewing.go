package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/cellwall/cellwall/policy"
	"github.com/cellwall/cellwall/policy/review"
)

// reviewSettings name a model that is asked about each program before it runs, and
// can only refuse. Without a model nobody is asked.
type reviewSettings struct {
	Model   string
	URL     string        // ends before /chat/completions; "" = OpenAI's own
	Key     string        // from the environment, rather than in a file
	Timeout time.Duration // of one answer; 0 = 10 s
	Failure string        // what becomes of a program without an answer: refuse (also "") or go_on
}

// into has a chain ask the model.
func (s reviewSettings) into(o *policy.Options) error {
	if s.Model == "" {
		if s.URL != "" || s.Key != "" || s.Failure != "" {
			return errors.New("no model is named")
		}
		return nil
	}
	switch s.Failure {
	case "", "refuse", "go_on":
	default:
		return fmt.Errorf("%q is neither refuse nor go_on", s.Failure)
	}
	reviewer, err := review.New(review.Options{BaseURL: s.URL, Key: s.Key, Model: s.Model, Timeout: s.Timeout})
	if err != nil {
		return err
	}
	o.Reviewer, o.Unreviewed = reviewer, s.Failure == "go_on"
	return nil
}

// reviewFlags are the same at the command line.
type reviewFlags struct {
	Review        string `placeholder:"MODEL" help:"Ask this model, at OPENAI_BASE_URL with OPENAI_API_KEY, before code runs: it can refuse, and nothing else."`
	ReviewFailure string `enum:"refuse,go_on" default:"refuse" help:"What becomes of code that the model did not answer about: refuse or go_on."`
}

func (f reviewFlags) settings() reviewSettings {
	if f.Review == "" {
		return reviewSettings{}
	}
	return reviewSettings{Model: f.Review, URL: os.Getenv("OPENAI_BASE_URL"), Key: os.Getenv("OPENAI_API_KEY"), Failure: f.ReviewFailure}
}

// only refuses the flag where the programs run elsewhere: nobody would be asked.
func (f reviewFlags) only(where string) error {
	if f.Review == "" {
		return nil
	}
	return usage("choose reviewer", errors.New("--review is of programs that run here, not at "+where), "leave it away; a service has its own, see review.model in docs/SERVICE.md")
}
