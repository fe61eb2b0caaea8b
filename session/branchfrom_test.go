package session

import (
	"slices"
	"testing"

	"github.com/cellwall/cellwall"
)

func TestM40_ABranchBeginsAtAnyCheckpoint(t *testing.T) {
	k := newKernel()
	s := create(t, k, Options{})
	run(t, s, "1", "2", "skip a")
	made, err := s.BranchFrom(t.Context(), "b", "cp_1")
	if err != nil || !made.New || made.Checkpoint != "cp_1" || made.Restored == nil || made.Unkept != 1 {
		t.Fatalf("%+v, %v", made, err)
	}
	if want := []string{"1", "reseeded"}; !slices.Equal(k.state, want) {
		t.Errorf("state %v, want %v", k.state, want)
	}
	if back, err := s.Branch(t.Context(), Main); err != nil || back.Checkpoint != "cp_2" {
		t.Errorf("the branch that was left: %+v, %v", back, err)
	}
}

func TestM40_ABranchThatCannotBeginIsNamed(t *testing.T) {
	branch := func(name, from string) func(t *testing.T, s *Session, _ *kernel) error {
		return func(t *testing.T, s *Session, _ *kernel) error {
			_, err := s.BranchFrom(t.Context(), name, from)
			return err
		}
	}
	for _, test := range []misuse{
		{"an unknown checkpoint", branch("b", "cp_9"), cellwall.CodeNotFound, []string{"cp_9", "kept are"}},
		{"a known name", branch(Main, "cp_1"), cellwall.CodeConflict, []string{"main already"}},
		{"no name", branch("a/b", "cp_1"), cellwall.CodeBadRequest, []string{"letters"}},
		{"no checkpoint to come back to", func(t *testing.T, s *Session, k *kernel) error {
			k.points = nil
			return branch("b", "cp_1")(t, s, k)
		}, cellwall.CodeConflict, []string{"no checkpoint"}},
	} {
		test.check(t)
	}
}
