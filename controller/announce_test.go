package controller

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/cellwall/cellwall"
)

func TestM40_ArtifactsAreAnnouncedWhenTheyHaveBeenTaken(t *testing.T) {
	for _, test := range []struct {
		name   string
		refuse bool
	}{{"to who listens", false}, {"to who hears no more", true}} {
		sb := ok()
		sb.events = []cellwall.Event{{Seq: 1, Kind: cellwall.EventStarted}, {Seq: 2, Kind: cellwall.EventDone}}
		h := &house{next: sb}
		var heard []cellwall.Event
		r, err := h.controller(t).Stream(context.Background(), cellwall.Request{Code: "1"}, func(_ context.Context, e cellwall.Event) error {
			heard = append(heard, e)
			if test.refuse && e.Kind == cellwall.EventArtifact {
				return errors.New("gone")
			}
			return nil
		})
		if err != nil || !r.OK || len(r.Artifacts) != 1 || len(h.entries) != 1 {
			t.Fatalf("%s: %+v, %v", test.name, r, err)
		}
		if len(heard) != 3 {
			t.Fatalf("%s: %d events", test.name, len(heard))
		}
		last := heard[2]
		var a cellwall.Artifact
		if err := json.Unmarshal(last.Data, &a); err != nil || a.Name != "a.png" || a.SHA256 != "ab" ||
			last.Kind != cellwall.EventArtifact || last.Seq != 3 || last.Execution != r.ID || last.At.IsZero() {
			t.Errorf("%s: %+v, %v", test.name, last, err)
		}
	}
}
