"""Charts in Chinese whatever the code names: M13, by the CJK font of the environment that runs the tests."""

import pytest

DRAW = "plt.plot([-3, -1], [-5, 0])\nplt.title('利润变化（万元）Profit')\nplt.xlabel('月份')\nplt.show()\n"


@pytest.mark.parametrize(
    "set_font",
    [
        "",
        "plt.rcParams['font.sans-serif'] = ['SimHei', 'Microsoft YaHei']",
        "plt.rcParams['font.sans-serif'] = ['SimHei']; plt.rcParams['axes.unicode_minus'] = False",
        "plt.rcParams['font.family'] = 'PingFang SC'",
        "plt.rcParams['font.family'] = ['Arial']",
        "plt.rcParams['font.family'] = 'serif'",
        "plt.rcParams['font.family'] = 'monospace'",
        "plt.style.use('seaborn-v0_8')",
        "plt.style.use('ggplot')",
        "import matplotlib; matplotlib.rcdefaults()",
        "import matplotlib; matplotlib.rc('font', family='Noto Sans CJK SC', weight='bold')",
        "plt.rcParams.update({'font.sans-serif': ['WenQuanYi Zen Hei', 'DejaVu Sans'], 'font.size': 14})",
    ],
)
def test_U38_chinese_and_minus_render_silently(run, set_font):
    out = run(f"{set_font}\n{DRAW}")
    assert out.ok and len(out.pngs()) == 1
    assert out.stderr == "" and "missing_glyphs" not in out.notices()


@pytest.mark.parametrize(
    "text",
    [
        "plt.title('销售', fontproperties='SimHei')",
        "plt.title('销售', fontname='STSong')",
        "plt.title('销售额 $x^2$ 合计')",
        "plt.rcParams['font.sans-serif'] = ['SimHei']; plt.title('Latin $x^2$ 合计 −5')",
        "from matplotlib.font_manager import FontProperties as F; plt.title('销售', fontproperties=F(fname='C:/Windows/Fonts/simhei.ttf'))",
        "from matplotlib.font_manager import FontProperties as F; plt.title('销售', fontproperties=F(family='Heiti SC', size=20))",
        "plt.rcParams['font.sans-serif'] = ['SimHei']; plt.semilogy([1, 1000]); plt.title('对数')",
    ],
)
def test_M13_every_way_to_name_a_font(run, text):
    out = run(f"plt.plot([-1, 1])\n{text}\nplt.savefig('a.svg'); plt.savefig('a.pdf'); plt.show()")
    assert out.ok, out.frames
    assert out.stderr == "" and "missing_glyphs" not in out.notices()


def test_the_names_can_be_found_by_code_that_looks_first(run):
    out = run(
        "from matplotlib import font_manager as fm\nprint('SimHei' in {f.name for f in fm.fontManager.ttflist})\n"
        "print(fm.findfont('Microsoft YaHei', fallback_to_default=False) != '')"
    )
    assert out.stdout == "True\nTrue\n"


def test_glyphs_that_no_font_has_are_told_not_warned(run):
    out = run("plt.plot([1])\nplt.title('ok \\U000130b8')")
    assert out.notices()["missing_glyphs"] == {"characters": "\U000130b8"} and out.stderr == ""
