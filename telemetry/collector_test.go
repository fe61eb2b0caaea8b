package telemetry

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	collected "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	"google.golang.org/protobuf/proto"
)

// collector receives OTLP over HTTP as any collector does.
type collector struct {
	*httptest.Server
	mu       sync.Mutex
	spans    []span
	resource map[string]string
	bodies   []byte
	hold     chan struct{} // it answers when this is closed; nil = at once
}

// span is one that arrived.
type span struct {
	name, trace, id, parent string
	kind                    string
	status                  string // the message of an error
	failed                  bool
	attributes              map[string]string
	took                    time.Duration
}

func collect(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if c.hold != nil {
		select {
		case <-c.hold:
		case <-r.Context().Done():
		}
	}
	body, err := io.ReadAll(r.Body)
	var message collected.ExportTraceServiceRequest
	if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" || proto.Unmarshal(body, &message) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bodies = append(c.bodies, body...)
	for _, of := range message.GetResourceSpans() {
		c.resource = texts(of.GetResource().GetAttributes())
		for _, scope := range of.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				c.spans = append(c.spans, span{
					name: s.GetName(), trace: hex.EncodeToString(s.GetTraceId()), id: hex.EncodeToString(s.GetSpanId()), parent: hex.EncodeToString(s.GetParentSpanId()),
					kind: s.GetKind().String(), status: s.GetStatus().GetMessage(), failed: s.GetStatus().GetCode() == 2,
					attributes: texts(s.GetAttributes()), took: time.Duration(s.GetEndTimeUnixNano() - s.GetStartTimeUnixNano()),
				})
			}
		}
	}
}

func texts(list []*common.KeyValue) map[string]string {
	m := map[string]string{}
	for _, kv := range list {
		m[kv.GetKey()] = kv.GetValue().GetStringValue()
	}
	return m
}

// got returns the spans by name; of several, the last one.
func (c *collector) got() map[string]span {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := map[string]span{}
	for _, s := range c.spans {
		m[s.name] = s
	}
	return m
}
