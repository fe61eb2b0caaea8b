package api

import (
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"

	"github.com/cellwall/cellwall"
)

// content is the file that a request brings.
type content struct {
	io.Reader
	form *multipart.Reader // nil: the body is the file
}

// end makes sure that nothing follows the file.
func (c *content) end() error {
	if c.form == nil {
		return nil
	}
	switch _, err := c.form.NextRawPart(); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return formError(err)
	}
	return badForm("it must hold one part file, and no other")
}

// uploaded finds the file in a request: the one part of a form, or the body.
func (s *Server) uploaded(r *http.Request) (name string, c *content, err error) {
	media, params, err := mediaType(r)
	if err != nil {
		return "", nil, err
	}
	switch media {
	case "multipart/form-data":
		if b := params["boundary"]; b == "" || len(b) > 70 {
			return "", nil, badForm("its Content-Type names no boundary")
		}
		form := multipart.NewReader(r.Body, params["boundary"])
		part, err := form.NextRawPart()
		if errors.Is(err, io.EOF) {
			return "", nil, badForm("it holds nothing")
		}
		if err != nil {
			return "", nil, formError(err)
		}
		if part.FormName() != "file" {
			return "", nil, badForm("it must hold one part file, and no other")
		}
		return safeName(part.FileName()), &content{part, form}, nil
	case "application/json", "application/x-www-form-urlencoded":
		return "", nil, unsupported("multipart/form-data") // a mistake: with another body in mind
	}
	return safeName(nameOf(r.Header)), &content{Reader: r.Body}, nil
}

// unreadable is why a dataset was not taken, from what the sandbox said.
func unreadable(result *cellwall.Result) error {
	why := "it ended as " + string(result.Status)
	if e := result.Error; e != nil {
		why = fmt.Sprintf("%.500s", e.Message)
	}
	hint := result.Observation.RetryHint
	if hint == "" {
		hint = "csv, tsv, xlsx, json, jsonl and parquet can be read"
	}
	return &cellwall.Error{Code: cellwall.CodeDatasetUnreadable, Op: "read dataset", Err: errors.New(why), Hint: hint}
}
