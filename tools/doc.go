// Package tools is what a model is given to work on data with: four tools, and a
// fifth where hosts are allowed, when each is offered, what a call may say, and the
// prompts around them.
//
// # The tools
//
//	inspect_data   columns, types, missing values, examples, true row counts
//	query_data     read-only SQL over every row
//	make_chart     one chart from a written spec, and the data behind it
//	run_python     a program in a sandbox: code, purpose, expected artifacts, nothing else
//	fetch_data     a file of the web, from hosts that the operator allows; without any there is no such tool
//
// A tool's schema (schemas/, JSON Schema draft 2020-12) is what a model sees and
// what [Decode] holds a call to, word for word. What may be slow, large or
// dangerous is in none of them: paths, limits, network, environment and tenant
// come from the controller.
//
// query_data and make_chart are programs of ours (programs/, [Source]) that run
// behind the same wall as a model's, over the tables as they were read there, and
// take what the model said as data. SQL needs the environment python-query. A large CSV is not
// read as a whole: DuckDB reads the file itself, typed as the driver would type it, and a
// chart reads the columns that it draws.
//
// A program may ask SQL as well ([NewQuery]): tools.query(sql) gives a DataFrame, all rows
// of the answer or, beyond 100,000 or 6 MiB, none. [NewFunction] makes any other function
// that code may call, with what its arguments are held to.
//
// # When each is offered
//
// [State] is all that is known of a session; it is a value, and each happening
// makes another one. [State.Stage] follows from it:
//
//	stopped     a budget is used up                         nothing
//	waiting     a person has been asked                     nothing
//	new         the data were not inspected                 inspect_data
//	closed      data from elsewhere, other files, writes    all but run_python
//	stuck       two programs failed, one after the other    all but run_python
//	simple      one question of one step                    all but run_python
//	steps       several steps, or what SQL cannot say       all
//
// The first that holds counts. fetch_data is offered beside it while the user asks for
// data from elsewhere, or after inspection where nobody has told what is asked for, unless
// a session is stopped or waits; a session that is closed for data from elsewhere has steps
// once they were brought. Where SQL is not set up ([State.NoSQL]) query_data is
// in none. [State.Offers] says for each tool whether it is
// offered now, and why not; [State.Judge] refuses a call of one that is not and
// names the tool that would do it. Neither looks at the data: nothing that a file
// says can change what is offered.
//
// A program of ours that a limit has ended counts as all the tries that SQL and charts get
// ([State.Overran]): a program that reads large data in parts may do what they could not.
//
// A session whose task nobody has told is simple until SQL or a chart was tried,
// and has steps from then on: that is the cheapest evidence that they do not do.
// Where SQL is not set up it has steps at once: a chart alone answers little.
//
// Two failed programs leave a session stuck until the user has spoken or a person said
// yes. In MCP nobody tells when the user speaks ([State.Unheard]): there SQL or a chart
// that answers gives the tries again, once until a program ends well or the user takes
// the prompt, so that no task has more than four failures; and a refusal names the prompt,
// not a person, whom nobody there can ask.
//
// # Language
//
// Whatever a model or a person reads is English or Chinese, as [Language] says.
// Names of tools and fields are the same in both.
package tools
