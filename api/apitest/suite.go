package apitest

import "testing"

// promises are what every service keeps, whatever its database is and wherever its
// contents lie.
var promises = []struct {
	name string
	hold func(*testing.T, *Service)
}{
	{"M2_AnExecutionOverHTTPAndItsResultLater", anExecutionOverHTTPAndItsResultLater},
	{"M2_CodeThatFailsIsAnAnswerAndNoError", codeThatFailsIsAnAnswerAndNoError},
	{"M3_AFormBringsFilesForOneExecution", aFormBringsFilesForOneExecution},
	{"M3_ADatasetIsUploadedDescribedUsedAndDeleted", aDatasetIsUploadedDescribedUsedAndDeleted},
	{"M3_ARawBodyIsADatasetToo", aRawBodyIsADatasetToo},
	{"M3_AnUploadIsResumed", anUploadIsResumed},
	{"M42_AnothersExecutionIsNotThere", anothersExecutionIsNotThere},
	{"M42_AListIsReadInPagesAndACursorIsItsTenants", aListIsReadInPagesAndACursorIsItsTenants},
	{"M42_ALinkOpensOneArtifactForAWhile", aLinkOpensOneArtifactForAWhile},
	{"M42_AnswersAreCompressedForWhoAsks", answersAreCompressedForWhoAsks},
	{"M49_AKeyedRequestRunsOnce", aKeyedRequestRunsOnce},
	{"M52_AnExecutionIsStreamedAndResumed", anExecutionIsStreamedAndResumed},
	{"P9_AnArtifactIsSavedAndNeverRun", anArtifactIsSavedAndNeverRun},
	{"O112_F21_NamesOfUploadsAreTamed", namesOfUploadsAreTamed},
	{"BadInput_JSONIsRefusedWithASentence", jsonIsRefusedWithASentence},
	{"BadInput_AroundTheBody", aroundTheBody},
	{"BadInput_AFormWithControlsInItsHeadersIsRefused", aFormWithControlsInItsHeadersIsRefused},
	{"BadInput_PathsDoNotLeadElsewhere", pathsDoNotLeadElsewhere},
	{"BadInput_HeadersCannotBeInjected", headersCannotBeInjected},
	{"BadInput_AHalfClosedConnectionEndsItsRun", aHalfClosedConnectionEndsItsRun},
}

// Suite holds a service to all of them. open gives each a Service with two tenants
// of its own; what answers may be the same for all. Of its fields the suite uses
// those that a caller from outside has – address, keys – and State, for records.
func Suite(t *testing.T, open func(*testing.T) *Service) {
	t.Helper()
	for _, p := range promises {
		t.Run(p.name, func(t *testing.T) { p.hold(t, open(t)) })
	}
}
