package apitest

import (
	"testing"

	"github.com/cellwall/cellwall/api"
)

// wholePromises are what a service keeps beside promises when it has every room: what
// they hold is joined to the API by the binary alone. The last stops everybody's work.
var wholePromises = []promise{
	{"M15_AMaskedDatasetLacksWhatWasMasked", aMaskedDatasetLacksWhatWasMasked},
	{"M35_RecordsAreReadInPagesByAuditors", recordsAreReadInPagesByAuditors},
	{"M35_RecordsAreTheirTenants", recordsAreTheirTenants},
	{"M39_TheOtherShapeAnswersAsThatServiceDid", theOtherShapeAnswersAsThatServiceDid},
	{"M39_TheOtherShapeRefusesInItsOwnWords", theOtherShapeRefusesInItsOwnWords},
	{"M40_AForkLivesBesideItsOrigin", aForkLivesBesideItsOrigin},
	{"M42_AKeyIsShownOnceAndOpensWhatItsScopesSay", aKeyIsShownOnceAndOpensWhatItsScopesSay},
	{"M42_KeysAreTheirTenants", keysAreTheirTenants},
	{"M42_TenantsAreTheOperators", tenantsAreTheOperators},
	{"M42_WhatWasUsedIsCountedAndExported", whatWasUsedIsCountedAndExported},
	{"M42_UsageIsItsTenants", usageIsItsTenants},
	{"M44_AClientOfMCPCallsTools", aClientOfMCPCallsTools},
	{"M44_ClientsOfMCPAreTheirTenants", clientsOfMCPAreTheirTenants},
	{"M47_MetricsAreTheOperators", metricsAreTheOperators},
	{"M47_ReadinessAndTheDocumentAreForEverybody", readinessAndTheDocumentAreForEverybody},
	{"M50_ACallersFunctionIsAnsweredOnce", aCallersFunctionIsAnsweredOnce},
	{"M52_WhatHappensIsListedInOrder", whatHappensIsListedInOrder},
	{"M52_AStreamOfEventsIsResumed", aStreamOfEventsIsResumed},
	{"M52_AWebhookHearsWhatItAskedForSigned", aWebhookHearsWhatItAskedForSigned},
	{"M52_AWebhookIsMadeOnceUnderItsKey", aWebhookIsMadeOnceUnderItsKey},
	{"M52_WebhooksAreTheirTenants", webhooksAreTheirTenants},
	{"M52_AnAlertIsRaisedAndTold", anAlertIsRaisedAndTold},
	{"M52_AlertsAreTheirTenants", alertsAreTheirTenants},
	{"M54_AReceiptIsSignedOverWhatRan", aReceiptIsSignedOverWhatRan},
	{"M54_ReceiptsAreTheirTenants", receiptsAreTheirTenants},
	{"M49_WhatWasKeptOutlivesTheService", whatWasKeptOutlivesTheService},
	{"M38_NothingBeginsWhileThereIsALockdown", nothingBeginsWhileThereIsALockdown},
}

// Whole holds a service that has every room to all promises, and the suite itself to
// the table of routes: each is called with success by a row. Of its Services it uses
// what Suite does, Operator and Restart. Webhooks may go to loopback there.
func Whole(t *testing.T, open func(*testing.T) *Service) {
	t.Helper()
	called := newCalled(api.Routes())
	ran := hold(t, open, called, promises) + hold(t, open, called, wholePromises)
	if ran == len(promises)+len(wholePromises) { // else somebody asked for some of them
		called.demandAll(t)
	}
}
