package cellwall

import "time"

// Rating is what one person thinks of what came of an execution. Each person has one of
// each execution: a later one takes the place of the one before.
type Rating struct {
	Tenant    string `json:"-"`
	Execution string `json:"execution_id"`
	Rater     string `json:"rater"` // by a name of the tenant's choice
	Scores
	Comment     string    `json:"comment,omitempty"`
	At          time.Time `json:"at"`
	Key         string    `json:"key,omitempty"` // id of the key that said so
	Model       string    `json:"model"`         // as the execution's metadata say; "" = not
	Prompt      string    `json:"prompt_version"`
	Environment string    `json:"environment"` // in which it ran
}

// Scores are from 1, worst, to 5, best.
type Scores struct {
	Correctness  int `json:"correctness"`  // is what it says true?
	Completeness int `json:"completeness"` // does it say all that was asked?
	Fluency      int `json:"fluency"`      // is it well said, and well drawn?
	Attribution  int `json:"attribution"`  // does it say where each number comes from?
}

// RatingFilter chooses ratings: empty fields are any.
type RatingFilter struct {
	Model, Prompt, Environment string
	Since                      time.Time
}
