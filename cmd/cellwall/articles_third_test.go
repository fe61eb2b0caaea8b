package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cellwall/cellwall"
	"github.com/cellwall/cellwall/internal/testkit"
	"github.com/cellwall/cellwall/policy"
	"github.com/cellwall/cellwall/tools"
)

// The third article: somebody uploads a workbook of companies and asks, a model
// writes a program, and a picture comes back. Its eight steps, one by one.
//
//	1  the file becomes a table, 10,000 rows at most, and the user is told     Step1, TenThousandRows
//	2  the prompt names columns, types and limits, and has its suffix          Step2, KMeans
//	3  the program is checked before it runs                                   Step3
//	4  it runs in a sandbox: a restricted interpreter, or a wall               Step4
//	5  it ends after ten seconds                                               Step5
//	6  what it printed and drew is taken                                       Step6
//	7  nothing of it stays                                                     Step7
//	8  text and pictures are given back, sharp, in Chinese                     Step8
//
// and its mishap: 50,000 rows and K-means                                     KMeans

// companies writes a workbook with the environment's own openpyxl: so many
// companies with their 营收, 负债率 and 现金流, the same at each run.
func companies(t *testing.T, h *house, rows int) (path string) {
	t.Helper()
	return workbookOf(t, h, fmt.Sprintf(`sheet = book.create_sheet("企业数据")
sheet.append(["企业名称", "行业", "营收", "负债率", "现金流"])
for i in range(%d):
    sheet.append([f"企业{i:05d}", ["制造", "零售", "科技", "物流"][i %% 4], 500 + i * 37 %% 991, i * 53 %% 97 / 100, i * 29 %% 401 - 200])
`, rows))
}

// workbookOf writes what a program puts into book.
func workbookOf(t *testing.T, h *house, program string) (path string) {
	t.Helper()
	r, err := h.controller.Run(t.Context(), cellwall.Request{
		Profile: "off", Limits: cellwall.Limits{OutputKeepBytes: 4 * cellwall.MiB, Timeout: testkit.Scale(time.Minute)},
		Code: "import base64, io, openpyxl\nbook = openpyxl.Workbook(write_only=True)\n" + program +
			"file = io.BytesIO()\nbook.save(file)\nprint(base64.b64encode(file.getvalue()).decode())\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(r.Stdout.Text))
	if err != nil || !r.OK {
		t.Fatalf("%s %+v: %v", r.Status, r.Error, err)
	}
	path = filepath.Join(t.TempDir(), "企业数据.xlsx")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// revenue is what the companies of one line of business earn together.
func revenue(rows, line int) (sum int) {
	for i := line; i < rows; i += 4 {
		sum += 500 + i*37%991
	}
	return sum
}

// article runs programs on one file, as the steps do.
type article struct {
	t *testing.T
	h *house
}

func (a article) request(file string, r cellwall.Request) cellwall.Request {
	a.t.Helper()
	if file == "" {
		return r
	}
	inputs, undo, err := openInputs([]string{file}, cellwall.Limits{})
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(undo)
	r.Datasets = inputs
	return r
}

func (a article) run(file string, r cellwall.Request) *cellwall.Result {
	a.t.Helper()
	result, err := a.h.controller.Run(a.t.Context(), a.request(file, r))
	if err != nil {
		a.t.Fatal(err)
	}
	return result
}

func (a article) describe(file string) cellwall.Dataset {
	a.t.Helper()
	r, err := a.h.controller.Describe(a.t.Context(), a.request(file, cellwall.Request{}))
	if err != nil || !r.OK || len(r.Datasets) != 1 {
		a.t.Fatalf("%v: %+v", err, r)
	}
	return r.Datasets[0]
}

const chartOfRevenue = `import pandas as pd
import matplotlib.pyplot as plt
by = df.groupby("行业")["营收"].sum()
print(by.to_string())
ax = by.plot.bar()
ax.set_title("各行业营收（万元）")
plt.tight_layout()
plt.savefig("result.png")
`

func TestThirdArticle_ItsEightSteps(t *testing.T) {
	testkit.RequireRoot(t)
	h, state := openRealHouse(t, cellwall.Budget{})
	a := article{t, h}
	file := companies(t, h, 100)
	ds := a.describe(file)

	// 用户上传 Excel 文件，转换为 DataFrame，同时记录数据的行列信息
	if ds.Rows != 100 || ds.RowsGiven != 100 || ds.Sample != "all" || fmt.Sprint(columnTypes(ds)) != "[企业名称 str 行业 str 营收 int64 负债率 float64 现金流 int64]" {
		t.Errorf("step 1: %+v", ds)
	}
	a.step2(ds)
	a.step3(file)
	drawn := a.run(file, cellwall.Request{Code: chartOfRevenue, Profile: "strict", ExpectedArtifacts: []string{"result.png"}})
	// 生产环境用 Docker 或 E2B: a wall, and nothing of it missing
	if b := drawn.Boundary; b.Network != "none" || len(b.Degraded) > 0 || !strings.HasPrefix(b.Environment, "python-data-basic@sha256:") {
		t.Errorf("step 4: %+v", b)
	}
	// 代码执行超时（10秒限制）
	began := time.Now()
	if r := a.run(file, cellwall.Request{Code: "while True: pass", Language: "zh", Limits: cellwall.Limits{Timeout: time.Second}}); r.Status != cellwall.StatusTimeout ||
		!strings.Contains(r.Observation.ErrorMessage, "超时") || !strings.Contains(r.Observation.RetryHint, "1 s") || time.Since(began) > testkit.Scale(10*time.Second) {
		t.Errorf("step 5: %s after %v, %+v", r.Status, time.Since(began), r.Observation)
	}
	for line, name := range []string{"制造", "零售", "科技", "物流"} {
		if want := fmt.Sprintf("%s    %d\n", name, revenue(100, line)); !strings.Contains(drawn.Stdout.Text+"\n", want) {
			t.Errorf("step 6: %q is not in %q", want, drawn.Stdout.Text)
		}
	}
	a.step7(file, state)
	a.step8(drawn)
}

func columnTypes(ds cellwall.Dataset) (list []string) {
	for _, c := range ds.Columns {
		list = append(list, c.Name, c.DType)
	}
	return list
}

// 在 Prompt 里明确告知列名和数据类型 … 只能使用 pandas, numpy, matplotlib 库 …
// 代码必须能在10秒内执行完毕 … result.png … 用户需求
func (a article) step2(ds cellwall.Dataset) {
	a.t.Helper()
	env, err := a.h.environments.Open(defaultEnvironment)
	if err != nil {
		a.t.Fatal(err)
	}
	p := tools.Prompt{
		Datasets: []cellwall.Dataset{ds}, Packages: env.Packages, Timeout: 10 * time.Second, Memory: 512 * cellwall.MiB,
		Language: tools.Chinese, Question: "画出各行业的营收",
	}
	for _, part := range []string{
		"你是数据分析代码生成器", "只能使用 pandas ", "numpy ", "matplotlib ", "不能启动其他程序，不能读写数据和 out_dir 以外的文件", "数据已预加载为变量 df",
		"代码必须能在10秒内执行完毕", "result.png", `"企业名称" str`, `"行业" str: "制造", "零售", "科技"`, `"营收" int64`, `"负债率" float64`, `"现金流" int64`,
		"共 100 行", "用户需求：画出各行业的营收", "请只输出一段 Python 代码，不要添加任何解释",
	} {
		if !strings.Contains(p.Text(), part) {
			a.t.Errorf("step 2: the prompt does not say %q:\n%s", part, p.Text())
		}
	}
	if strings.Contains(p.Text(), "采样") {
		a.t.Error("step 2: a small table gets the suffix of large ones")
	}
}

// 检测到危险内容，直接拒绝，不进入沙箱: its three attacks
func (a article) step3(file string) {
	a.t.Helper()
	for code, want := range map[string]string{
		`import os; os.system("rm -rf /data/production")`:     "禁止 import 模块: os",
		`passwd_content = open('/etc/passwd').read()`:         "禁止使用: open",
		"import requests\nrequests.get('http://x', params=1)": "禁止 import 模块: requests",
	} {
		r := a.run(file, cellwall.Request{Code: code, Profile: "strict", Language: "zh"})
		if r.Status != cellwall.StatusRefused || len(r.Findings) == 0 || r.Findings[0].Message != want || r.Usage.StartupMS != 0 || r.Usage.CPUMS != 0 ||
			!strings.HasPrefix(r.Observation.RetryHint, "生成的代码包含不安全操作，已被拦截") {
			a.t.Errorf("step 3: %q is %s: %+v %+v", code, r.Status, r.Findings, r.Observation)
		}
	}
	if r := a.run(file, cellwall.Request{Code: "df['营收'].sum(", Profile: string(policy.Strict)}); r.Status != cellwall.StatusRefused || r.Findings[0].Rule != "syntax" {
		a.t.Errorf("step 3: bad syntax is %s: %+v", r.Status, r.Findings)
	}
}

// 删除临时文件 … 确保用户数据不会残留在服务器上
func (a article) step7(file, state string) {
	a.t.Helper()
	a.run(file, cellwall.Request{Code: "open('/tmp/left', 'w').write('残留'); open('left.tmp', 'w').write('残留'); keep = df"})
	next := a.run("", cellwall.Request{Code: "import os\nprint(os.path.exists('/tmp/left'), os.listdir(out_dir), os.listdir('/workspace/input'), 'keep' in globals())"})
	if next.Stdout.Text != "False [] [] False\n" {
		a.t.Errorf("step 7: the next run sees %q", next.Stdout.Text)
	}
	err := filepath.WalkDir(state, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		if bytes.Contains(raw, []byte("企业00042")) {
			a.t.Errorf("step 7: %s holds a row of the file", path)
		}
		return err
	})
	if err != nil {
		a.t.Error(err)
	}
}

// 将文本输出、图表（base64 编码）打包返回, and not blurred.
func (a article) step8(drawn *cellwall.Result) {
	a.t.Helper()
	if !drawn.OK || len(drawn.Warnings) > 0 || len(drawn.Artifacts) != 1 || drawn.Artifacts[0].Name != "result.png" || drawn.Artifacts[0].MediaType != "image/png" {
		a.t.Fatalf("step 8: %s %+v, warnings %q, artifacts %+v", drawn.Status, drawn.Error, drawn.Warnings, drawn.Artifacts)
	}
	f, err := a.h.artifacts.Open(drawn.Artifacts[0])
	if err != nil {
		a.t.Fatal(err)
	}
	defer f.Close()
	if size, err := png.DecodeConfig(f); err != nil || size.Width < 900 || size.Height < 600 {
		a.t.Errorf("step 8: %+v, %v: a blurred picture", size, err)
	}
	var picture string
	shown := a.run("", cellwall.Request{Code: "plt.plot([-3, 5]); plt.title('现金流变化（万元）'); plt.show()"})
	if len(shown.Results) != 1 || json.Unmarshal(shown.Results[0].Data["image/png"], &picture) != nil {
		a.t.Fatalf("step 8: %+v", shown)
	}
	raw, err := base64.StdEncoding.DecodeString(picture)
	if size, again := png.DecodeConfig(bytes.NewReader(raw)); err != nil || again != nil || size.Width < 900 {
		a.t.Errorf("step 8: %+v, %v, %v", size, err, again)
	}
}

// A character that no font has is drawn as a box. Each of these must look like
// none of the others, and the last one, which has no glyph, shows what a box is.
func TestM13_ChineseIsDrawnAndNotAsBoxes(t *testing.T) {
	testkit.RequireRoot(t)
	h, _ := openRealHouse(t, cellwall.Budget{})
	a := article{t, h}
	characters := []string{"营", "收", "负", "债", "率", "现", "金", "流", "，", "\U000130b8"}
	code := "for i, c in enumerate(" + fmt.Sprintf("%q", strings.Join(characters, "")) + `):
    for font in ("", "SimHei"):
        plt.rcParams.update(plt.rcParamsDefault)
        if font:
            plt.rcParams["font.sans-serif"] = [font]
        plt.figure(figsize=(1, 1))
        plt.text(0.1, 0.2, c, fontsize=40)
        plt.axis("off")
        plt.savefig(f"{font}{i}.png")
        plt.close()
`
	r := a.run("", cellwall.Request{Code: code})
	if !r.OK || len(r.Artifacts) != 2*len(characters) || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "missing glyphs") {
		t.Fatalf("%s %+v, %d artifacts, warnings %q", r.Status, r.Error, len(r.Artifacts), r.Warnings)
	}
	looks := map[string]string{} // sha256 → which
	for _, f := range r.Artifacts {
		font := strings.TrimSuffix(f.Name, ".png")
		key := strings.TrimLeft(font, "SimHe") // 0 to 9: the same in both fonts
		if before, ok := looks[f.SHA256]; ok && before != key {
			t.Errorf("%s looks like %s", f.Name, before)
		}
		looks[f.SHA256] = key
	}
	if len(looks) != len(characters) {
		t.Errorf("%d different pictures of %d characters: SimHei is not the font that draws Chinese", len(looks), len(characters))
	}
}

// 单次处理最多 10000 行，超过则截断并提示用户
func TestM9_TenThousandRowsAreGivenOfTenThousandAndOne(t *testing.T) {
	testkit.RequireRoot(t)
	h, _ := openRealHouse(t, cellwall.Budget{})
	a := article{t, h}
	file := companies(t, h, 10_001)
	r := a.run(file, cellwall.Request{Code: "print(len(df), sorted(df['营收']) != list(df['营收']))", Language: "zh", Limits: cellwall.Limits{Timeout: testkit.Scale(30 * time.Second)}})
	const want = `df 只含 "企业数据.xlsx" 的 10,001 行中的 10,000 行（随机抽样，seed 42）；由它算出的合计不是整个文件的合计。要得到合计，请读取整个文件：pd.read_excel("/workspace/input/企业数据.xlsx")。`
	if r.Stdout.Text != "10000 True\n" || !slices.Contains(r.Observation.Warnings, want) || !slices.Contains(r.Warnings, want) {
		t.Errorf("%q, %q: want %q", r.Stdout.Text, r.Observation.Warnings, want)
	}
	if ds := r.Datasets[0]; ds.Rows != 10_001 || ds.RowsGiven != 10_000 || ds.Sample != "random seed 42" {
		t.Errorf("%+v", ds)
	}
}

// 一个 5 万行的企业数据表，要求做聚类分析 … 每次都被超时中断: sampled and told so,
// it ends within its ten seconds.
func TestThirdArticle_KMeansOfFiftyThousandRows(t *testing.T) {
	testkit.RequireRoot(t)
	h, _ := openRealHouse(t, cellwall.Budget{})
	a := article{t, h}
	var text bytes.Buffer
	text.WriteString("企业名称,营收,负债率,现金流\n")
	for i := range 50_000 {
		fmt.Fprintf(&text, "企业%05d,%d,%.2f,%d\n", i, 500+i*37%991, float64(i*53%97)/100, i*29%401-200)
	}
	file := filepath.Join(t.TempDir(), "企业.csv")
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	p := tools.Prompt{Datasets: []cellwall.Dataset{a.describe(file)}, Timeout: 10 * time.Second, Language: tools.Chinese}
	const suffix = "注意：数据集有 50000 行。如果需要使用复杂算法（如聚类、矩阵分解），请先对数据进行采样（最多1000行）再运行，以确保在10秒内完成。\n"
	if !strings.HasSuffix(p.Text(), suffix) || !strings.Contains(p.Text(), "其中只包含 10000 行，抽样方式：random seed 42") {
		t.Errorf("the prompt ends with %q", p.Text()[max(0, len(p.Text())-400):])
	}
	for image, code := range map[string]string{defaultEnvironment: lloyd, tools.ImageLearning: learned} {
		t.Run(image, func(t *testing.T) {
			if image != defaultEnvironment && !testkit.Long() {
				t.Skipf("warming it takes 6 s: set CELLWALL_TEST_ALL=1; proof: the row of %s ran", defaultEnvironment)
			}
			limit := testkit.Scale(10 * time.Second)
			r := article{t, h}.run(file, cellwall.Request{Code: code, Environment: image, Limits: cellwall.Limits{Timeout: limit}})
			if !r.OK || r.Stdout.Text != "10000 1000 [1, 1, 1, 1]\n" ||
				!strings.Contains(strings.Join(r.Observation.Warnings, "\n"), "10,000 of 50,000 rows") {
				t.Errorf("%s %+v after %v ms: %q, %q", r.Status, r.Error, r.Usage.WallMS, r.Stdout.Text, r.Observation.Warnings)
			}
		})
	}
}

// K-means as the second layer of the article has it, on at most 1,000 rows: by
// hand, and as scikit-learn does it.
const (
	sampled = `few = df.sample(n=1000, random_state=42)
numbers = few[["营收", "负债率", "现金流"]]
numbers = ((numbers - numbers.mean()) / numbers.std()).to_numpy()
`
	lloyd = sampled + `centers = numbers[:4]
for _ in range(50):
    near = ((numbers[:, None, :] - centers) ** 2).sum(axis=2).argmin(axis=1)
    centers = np.array([numbers[near == k].mean(axis=0) for k in range(4)])
print(len(df), len(few), [int((near == k).any()) for k in range(4)])
`
	learned = sampled + `from sklearn.cluster import KMeans
near = KMeans(n_clusters=4, n_init=10, random_state=42).fit_predict(numbers)
print(len(df), len(few), [int((near == k).any()) for k in range(4)])
`
)
