package observe

import (
	"slices"
	"strings"

	"github.com/cellwall/cellwall"
)

// onlineModules do nothing without a network: who misses one is told of the network, or
// the next try is another of them. They hold those of the rule "network" of package
// policy, which a profile may leave out.
var onlineModules = []string{
	"requests", "httpx", "aiohttp", "urllib3", "ftplib", "smtplib", "imaplib", "poplib", "telnetlib", "websocket", "websockets", "paramiko",
	"boto3", "botocore", "yfinance", "pandas_datareader", "akshare", "tushare", "baostock", "psycopg2", "psycopg", "pymysql", "redis", "pymongo",
	"selenium", "playwright", "scrapy", "wget", "kaggle", "openai", "anthropic", "httplib2", "pycurl", "requests_html", "grpc", "gspread",
}

// online reports whether a module needs a network: by its name, or by a finding of the
// rule as the tenant has it.
func (o *observer) online(module string) bool {
	top, _, _ := strings.Cut(module, ".")
	return slices.Contains(onlineModules, top) || slices.ContainsFunc(o.in.Result.Findings, func(f cellwall.Finding) bool {
		return f.Rule == "network" && word(f.Message, module) >= 0
	})
}
