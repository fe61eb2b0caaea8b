package apitest

import "testing"

// promise is a row of the suite.
type promise struct {
	name string
	hold func(*testing.T, *Service)
}

// promises are what every service keeps, whatever its database is and wherever its
// contents lie.
var promises = []promise{
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
	{"M42_ToolsAreTheirTenants", toolsAreTheirTenants},
	{"M42_ApprovalsAreTheirTenants", approvalsAreTheirTenants},
	{"M42_RatingsAreTheirTenants", ratingsAreTheirTenants},
	{"M4_ASessionOffersItsToolsStepByStep", aSessionOffersItsToolsStepByStep},
	{"M49_AToolIsCalledOnceUnderItsKey", aToolIsCalledOnceUnderItsKey},
	{"M53_CodeWaitsForSomebodyElse", codeWaitsForSomebodyElse},
	{"M53_APersonEditsOrRejects", aPersonEditsOrRejects},
	{"M53_AKeyedRequestWaitsOnce", aKeyedRequestWaitsOnce},
	{"M53_ApprovalsAreReadInPages", approvalsAreReadInPages},
	{"M53_WhatNobodyDecidesExpires", whatNobodyDecidesExpires},
	{"M53_AnArtifactWaitsBeforeItIsHandedOut", anArtifactWaitsBeforeItIsHandedOut},
	{"M53_ACallOfAToolWaitsForAPerson", aCallOfAToolWaitsForAPerson},
	{"M46_ARatingIsKeptListedAndReplaced", aRatingIsKeptListedAndReplaced},
	{"M46_RatingsAreExportedALineEach", ratingsAreExportedALineEach},
	{"M46_RatingsAreSummedWithTheirAgreement", ratingsAreSummedWithTheirAgreement},
	{"M49_AKeyedRequestRunsOnce", aKeyedRequestRunsOnce},
	{"M29_EnvironmentsAreListedWithWhatIsInstalled", environmentsAreListedWithWhatIsInstalled},
	{"M40_ASessionKeepsItsStateBetweenCells", aSessionKeepsItsStateBetweenCells},
	{"M40_ASessionGoesBackWithItsFiles", aSessionGoesBackWithItsFiles},
	{"M40_ASessionBranchesAndComesBack", aSessionBranchesAndComesBack},
	{"M40_APausedSessionGoesOnWhereItWas", aPausedSessionGoesOnWhereItWas},
	{"M40_AnInterruptedCellLeavesTheSession", anInterruptedCellLeavesTheSession},
	{"M41_ASessionsFilesArePutReadAndRemoved", aSessionsFilesArePutReadAndRemoved},
	{"M42_SessionsAreTheirTenants", sessionsAreTheirTenants},
	{"M49_ACellUnderItsKeyRunsOnce", aCellUnderItsKeyRunsOnce},
	{"M52_AnExecutionIsStreamedAndResumed", anExecutionIsStreamedAndResumed},
	{"M52_AnExecutionIsCancelled", anExecutionIsCancelled},
	{"M52_AStreamedExecutionIsCancelled", aStreamedExecutionIsCancelled},
	{"M52_ACellIsCancelled", aCellIsCancelled},
	{"M52_WhatWaitsForAPersonIsWithdrawn", whatWaitsForAPersonIsWithdrawn},
	{"M53_WhatWaitsForAPersonGoesWithItsSession", whatWaitsForAPersonGoesWithItsSession},
	{"M42_CancellingIsForItsTenant", cancellingIsForItsTenant},
	{"P9_AnArtifactIsSavedAndNeverRun", anArtifactIsSavedAndNeverRun},
	{"O112_F21_NamesOfUploadsAreTamed", namesOfUploadsAreTamed},
	{"BadInput_JSONIsRefusedWithASentence", jsonIsRefusedWithASentence},
	{"BadInput_AroundTheBody", aroundTheBody},
	{"BadInput_AFormWithControlsInItsHeadersIsRefused", aFormWithControlsInItsHeadersIsRefused},
	{"BadInput_PathsDoNotLeadElsewhere", pathsDoNotLeadElsewhere},
	{"BadInput_HeadersCannotBeInjected", headersCannotBeInjected},
	{"BadInput_BadCallsOfToolsAreRefusedWithASentence", badCallsOfToolsAreRefusedWithASentence},
	{"BadInput_WhatAModelWritesIsAnsweredForItToRead", whatAModelWritesIsAnsweredForItToRead},
	{"BadInput_BadDecisionsAreRefusedWithASentence", badDecisionsAreRefusedWithASentence},
	{"BadInput_BadRatingsAreRefusedWithASentence", badRatingsAreRefusedWithASentence},
	{"BadInput_AHalfClosedConnectionEndsItsRun", aHalfClosedConnectionEndsItsRun},
}

// Suite holds a service to all of them. open gives each a Service with two tenants
// of its own; what answers may be the same for all. Of its fields the suite uses
// those that a caller from outside has – address, keys – and Hold, which is the
// operator's, and State, for records.
func Suite(t *testing.T, open func(*testing.T) *Service) {
	t.Helper()
	hold(t, open, nil, promises)
}

// hold runs rows, and says how many were run.
func hold(t *testing.T, open func(*testing.T) *Service, called *called, rows []promise) (ran int) {
	t.Helper()
	for _, p := range rows {
		t.Run(p.name, func(t *testing.T) {
			ran++
			s := open(t)
			s.called = called
			p.hold(t, s)
		})
	}
	return ran
}
