package mask_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
)

// contexts are the texts that values stand in: what programs print, and what
// people write. A context may add values of its own.
var contexts = []struct {
	name  string
	write func(r *rand.Rand, d *document, v value)
}{
	{"traceback", func(r *rand.Rand, d *document, v value) {
		d.say("Traceback (most recent call last):\n  File \"<cell>\", line ", strconv.Itoa(1+r.IntN(90)), ", in <module>\n    df.loc[key]\n", one(r, "KeyError: '", "ValueError: could not convert string to float: '"))
		d.put(v)
		d.say("'\n")
	}},
	{"csv", func(r *rand.Rand, d *document, v value) {
		d.say("id,name,contact,amount,order\n", strconv.Itoa(r.IntN(99)), ",张三,")
		d.put(v)
		d.say(fmt.Sprintf(",%.2f,%s\n", r.Float64()*1e5, "20240101"+digits(r, 6)))
	}},
	{"quoted csv", func(r *rand.Rand, d *document, v value) {
		d.say("\"王五\",\"")
		d.put(v)
		d.say("\",\"华东\"\n")
	}},
	{"frame", func(r *rand.Rand, d *document, v value) {
		d.say("      amount              contact      when\n0    ", fmt.Sprintf("%8.2f  ", r.Float64()*1e5))
		d.put(v)
		d.say("  2024-05-0", strconv.Itoa(1+r.IntN(9)), "\n1    ", fmt.Sprintf("%8.2f  ", r.Float64()*1e5))
		d.put(bankCard(r))
		d.say("  2024-05-11\n\n[2 rows x 3 columns]\n")
	}},
	{"series", func(r *rand.Rand, d *document, v value) {
		d.say("0    ")
		d.put(v)
		d.say("\n1    ")
		d.put(v)
		d.say("\nName: contact, dtype: object\n")
	}},
	{"json", func(r *rand.Rand, d *document, v value) {
		quote := "\""
		if v.number {
			quote = one(r, "\"", "")
		}
		d.say(`{"name": "`, one(r, "李四", `\u674e\u56db`), `", "contact": `, quote)
		d.put(v)
		d.say(quote, one(r, `, "n": 3}`, `}`, ",\n  \"x\": 0.25\n}"))
	}},
	{"escaped json", func(r *rand.Rand, d *document, v value) { // json.dumps, with a Chinese word before
		d.say(`{"note": "\u7535\u8bdd`, one(r, `\u5357`, `\u53f7`, ``, `\n`, `\t`))
		d.put(v)
		d.say(`\n"}`)
	}},
	{"Chinese", func(r *rand.Rand, d *document, v value) {
		d.say(one(r, "请联系", "他的号码是", "备注：", "（", "客户“"))
		d.put(v)
		d.say(one(r, "，谢谢。", "尽快回复", "）", "”已登记", "。\n"))
	}},
	{"English", func(r *rand.Rand, d *document, v value) {
		d.say(one(r, "Please call ", "The value was ", "Contact: ", "see ("))
		d.put(v)
		d.say(one(r, ". Thanks", ", please", "; then", "!", ")"))
	}},
	{"log", func(r *rand.Rand, d *document, v value) {
		d.say(fmt.Sprintf("2024-01-%02d %02d:%02d:%02d,%03d INFO job=%s value=", 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(1000), hexadecimal(r, 8)))
		d.put(v)
		d.say(" took 0.13s\n")
	}},
	{"repr", func(r *rand.Rand, d *document, v value) {
		d.say("['", one(r, "a", "电话", `x\n`), "', '")
		d.put(v)
		d.say("', ", strconv.Itoa(r.IntN(1e6)), ", nan]\n")
	}},
	{"bytes", func(_ *rand.Rand, d *document, v value) {
		d.say("b'")
		d.put(v)
		d.say(`\r\n'`)
	}},
	{"html", func(_ *rand.Rand, d *document, v value) {
		d.say("<tr><th>3</th><td>")
		d.put(v)
		d.say("</td><td>13.5</td></tr>")
	}},
	{"markdown", func(_ *rand.Rand, d *document, v value) {
		d.say("| 3 | ")
		d.put(v)
		d.say(" | 13.5 |\n|---|---|---|\n")
	}},
	{"alone", func(_ *rand.Rand, d *document, v value) { d.put(v) }},
	{"two in a row", func(r *rand.Rand, d *document, v value) { // print(a, b)
		d.put(value{kind: "phone", text: one(r, mobilePrefixes...) + digits(r, 8)})
		d.say(one(r, " 张三 ", "\t", " | ", "; "))
		d.put(v)
		d.say("\n")
	}},
	{"plain print", func(r *rand.Rand, d *document, v value) {
		d.put(value{kind: "id", text: idOf(r, birthDate(r))})
		d.say(" ")
		d.put(value{kind: "phone", text: one(r, mobilePrefixes...) + digits(r, 8)})
		d.say("\n")
		d.put(v)
	}},
	{"file name", func(_ *rand.Rand, d *document, v value) {
		d.say("/workspace/output/张三_")
		d.put(v)
		d.say("_副本.csv")
	}},
	{"name and value", func(_ *rand.Rand, d *document, v value) {
		d.say("张三-")
		d.put(v)
		d.say("-北京\n")
	}},
	{"assignment", func(_ *rand.Rand, d *document, v value) {
		d.say("contact=")
		d.put(v)
		d.say("\n")
	}},
	{"column of floats", func(r *rand.Rand, d *document, v value) { // a gap makes pandas read numbers as floats
		d.put(value{kind: "phone", text: one(r, mobilePrefixes...) + digits(r, 8)})
		d.say(".0\n")
		d.put(v)
		d.say("\nNaN\n")
	}},
}
