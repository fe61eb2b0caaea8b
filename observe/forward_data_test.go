package observe

func kindsMistaken() map[string]forward {
	const dates, text = "Can only use .dt accessor with datetimelike values", "Can only use .str accessor with string values, not floating"
	return map[string]forward{
		"dates in text": {
			in: given(raised("AttributeError", dates, "dt", `df["m"] = df["order_date"].dt.month`)), columned: true,
			en: []string{`df["order_date"] holds text`, `pd.to_datetime(df["order_date"])`}, zh: []string{`df["order_date"] 不是日期（文本）`, `pd.to_datetime(df["order_date"])`}, not: []string{"failing value"},
		},
		"dates in numbers": {in: given(raised("AttributeError", dates, "dt", `df.qty.dt.year`)), columned: true, en: []string{`df["qty"] holds int64`}, zh: []string{`df["qty"] 不是日期（int64）`}},
		"a table nobody knows": {
			in: given(raised("AttributeError", dates, "dt", `new['when'].dt.year`)), columned: true, en: []string{`new["when"] is not of a date type`}, zh: []string{`new["when"] 不是日期`},
		},
		"a series": {in: given(raised("AttributeError", dates, "dt", `s.dt.year`)), columned: true, en: []string{"no column of dates", "pd.to_datetime"}, zh: []string{"多半是文本"}},
		"another accessor": {
			in: given(raised("AttributeError", dates, "dt", `df["region"].str.strip().dt.year`)), columned: true, en: []string{"no column of dates"}, zh: []string{"不是日期类型"}, not: []string{"region"},
		},
		"two columns":     {in: given(raised("AttributeError", dates, "dt", `df["a"].dt.year - df["b"].dt.year`)), columned: true, en: []string{"no column of dates"}, zh: []string{"不是日期"}},
		"text in numbers": {in: given(raised("AttributeError", text, "str", `df["revenue"].str.upper()`)), columned: true, en: []string{`df["revenue"] holds other values than text`}, zh: []string{"不全是文本"}},
		"an index": {
			in: given(raised("TypeError", "Only valid with DatetimeIndex, TimedeltaIndex or PeriodIndex, but got an instance of 'Index'", "", `df.resample("ME")`)), columned: true,
			en: []string{"index holds no dates", "on="}, zh: []string{"索引不是日期"}, not: []string{"failing value"},
		},
		"a date that names no value": {
			in: given(raised("ValueError", "day is out of range for month", "", "date(2024, 2, 30)")), columned: true, en: []string{"Not every value is a date"}, zh: []string{"并非所有值"}, not: []string{"failing value", "出错的值"},
		},
		"a type is no value": {
			in: given(raised("TypeError", "<class 'str'> is not convertible to datetime", "", "f(x)")), columned: true, en: []string{"Not every value is a date"}, zh: []string{"并非所有值"}, not: []string{"failing value"},
		},
	}
}

// dataMissed has the code look for data where none was given.
func dataMissed() map[string]forward {
	const en, zh = "no df is loaded; ready to use are pd, np, plt and out_dir", "没有加载 df；可直接使用的有 pd、np、plt、out_dir"
	cell := bare(raised("NameError", "name 'df' is not defined", "df", "df.head()"))
	cell.Result.SessionID = new(string)
	return map[string]forward{
		"a name":            {in: bare(raised("NameError", "name 'df' is not defined", "df", "df.head()")), en: []string{"df is not defined", en}, zh: []string{zh}},
		"a name in a cell":  {in: cell, en: []string{en, "earlier cells"}, zh: []string{zh, "之前的单元格"}},
		"a file":            {in: bare(raised("FileNotFoundError", "[Errno 2] No such file or directory: 'a.csv'", "a.csv", `pd.read_csv("a.csv")`)), en: []string{en, "ask the user"}, zh: []string{zh}},
		"an address":        {in: bare(raised("urllib.error.URLError", "<urlopen error>", "", "urlopen(u)")), en: []string{"network is off", en}, zh: []string{"network is off", zh}},
		"a text":            {in: bare(raised("pandas.errors.ParserError", "Error tokenizing data. C error: Expected 2 fields in line 3, saw 4", "", "pd.read_csv(io.StringIO(s))")), en: []string{"separator"}, zh: []string{"分隔符"}, not: []string{"df"}},
		"a name with data":  {in: given(raised("NameError", "name 'totals' is not defined", "totals", "totals.head()")), columned: true, en: []string{"are df, dfs, out_dir"}, zh: []string{"df、dfs"}, not: []string{"no df"}},
		"an unnamed column": {in: bare(raised("KeyError", "\"['a'] not in index\"", "a", `t[["a"]]`)), en: []string{"Print the keys"}, zh: []string{"打印有哪些键"}, not: []string{"df", "available_columns"}},
	}
}
