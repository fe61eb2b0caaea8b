"""Figures without savefig, and what is said about them: M12, M13."""

import base64
import io
import struct

import pytest
from PIL import Image


def picture(out, at=0):
    return Image.open(io.BytesIO(base64.b64decode(out.mime("image/png")[at]))).convert("RGB")


def test_U33_a_figure_comes_back_sharp(run):
    out = run("import matplotlib.pyplot as plt\nplt.plot([1, 2, 3], [2, 4, 8])\nplt.title('growth')\n")
    assert out.pngs() == [(960, 720)] and len(picture(out).getcolors(1 << 20)) > 10
    assert not out.stderr and not any(v["is_main_result"] for v in out.all("V"))


def test_the_encoder_writes_what_was_drawn(run):
    out = run(
        "fig = plt.figure(figsize=(2, 1), facecolor='#12ab34')\nax = fig.add_axes([0, 0, .5, 1])\nax.axis('off')\nax.plot([1])"
    )
    image = picture(out)
    assert image.size == (300, 150) and image.getpixel((290, 10)) == (0x12, 0xAB, 0x34)


def test_U34_show_twice_gives_two_figures_in_order(run):
    out = run("plt.plot([1, 2])\nplt.show()\nplt.bar(['a', 'b'], [3, 1])\nplt.show()\n")
    kinds = [c["chart"]["axes"][0]["series"][0]["kind"] for c in out.mime("application/json")]
    assert kinds == ["line", "bar"]


@pytest.mark.parametrize(
    ("choose", "name"),
    [
        ("import matplotlib; matplotlib.use('TkAgg')", "TkAgg"),
        ("import matplotlib; matplotlib.use(backend='Qt5Agg', force=True)", "Qt5Agg"),
        ("from matplotlib import use; use('module://ipympl.backend_nbagg')", "module://ipympl.backend_nbagg"),
        ("plt.switch_backend('webagg')", "webagg"),
        ("plt.switch_backend(newbackend='widget')", "widget"),
    ],
)
def test_a_backend_with_a_window_is_ignored_and_told(run, choose, name):
    out = run(f"{choose}\nplt.plot([1, 2])\nprint(plt.get_backend())")
    assert out.ok and len(out.pngs()) == 1 and out.stdout.lower() == "agg\n"
    assert out.notices()["backend_ignored"] == {"name": name}


def test_other_backends_are_chosen_as_ever(run):
    out = run("import matplotlib\nmatplotlib.use('svg')\nprint(matplotlib.get_backend())\nmatplotlib.use('tkag')")
    assert out.stdout == "svg\n" and out.error["type"] == "ValueError" and not out.all("N")


@pytest.mark.parametrize(
    "select", ["matplotlib.use('Agg')", "matplotlib.pyplot.switch_backend('Agg')", "matplotlib.use('agg', force=True)"]
)
def test_U35_selecting_a_backend_does_not_switch_the_capture_off(run, select):
    out = run(
        f"import matplotlib, matplotlib.pyplot\n{select}\nimport matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.barh(['x', 'y'], [5, 7])\nplt.show()\n"
    )
    assert len(out.pngs()) == 1 and out.stderr == ""


@pytest.mark.parametrize(
    "source",
    [
        "df.groupby('r')['q'].sum().plot(kind='bar')",
        "plt.plot([1, 2])",
        "plt.hist([1, 2, 2, 3])",
        "df.hist()",
        "plt.plot([1]); plt.title('t')",
        "plt.pie([1, 2])",
        "fig, ax = plt.subplots(); ax.plot([1]); ax.set_xlabel('x')",
        "df.boxplot(column='q')",
    ],
)
def test_U37_the_chart_is_the_result_not_the_repr_of_its_axes(run, source):
    out = run(source, data={"s.csv": b"r,q\nN,12\nS,9\nN,4\n"})
    assert len(out.pngs()) == 1 and len(out.all("V")) == 1


def test_a_figure_as_last_expression_comes_once(run):
    out = run("fig, ax = plt.subplots()\nax.plot([1, 2])\nfig")
    assert len(out.pngs()) == 1 and out.main["image/png"]
    assert len(run("from matplotlib.figure import Figure\nf = Figure()\nf.subplots().plot([1])\nf").pngs()) == 1
    assert len(run("fig, ax = plt.subplots()\nax.plot([1])\ndisplay(fig)\nplt.show()").pngs()) == 1
    assert len(run("fig, ax = plt.subplots()\nax.plot([1])\nfig.show()\nfig.savefig('a.png')").pngs()) == 1
    assert len(run("fig, ax = plt.subplots()\nax.plot([1])\ndisplay(fig)\nax.plot([3, 4])\n").pngs()) == 2


def test_closed_and_blank_figures_do_not_come(run):
    assert run("plt.plot([1])\nplt.close()").all("V") == []
    assert run("plt.figure()").pngs() == []
    assert run("plt.plot([1])\nplt.show()\nplt.gcf()").pngs() == [(960, 720)]


def test_savefig_after_show_saves_what_was_shown(run, tmp_path):
    run("plt.plot([1, 5])\nplt.show()\nplt.savefig('a.png')")
    assert len(Image.open(tmp_path / "output" / "a.png").convert("RGB").getcolors(1 << 20)) > 10


def test_nothing_is_cut(run):
    out = run(
        "plt.barh(['a very long name of a product line ' * 2, 'b'], [1, 2])\nplt.legend(['x'], bbox_to_anchor=(1.4, 1))"
    )
    assert out.pngs()[0][0] > 1100
    edge = picture(out)
    assert all(edge.getpixel((0, y)) == (255, 255, 255) for y in range(edge.height))
    out = run("fig, ax = plt.subplots()\nax.plot([1])\nax.set_ylabel('y', labelpad=200)")
    assert out.pngs()[0][0] > 960


def test_a_giant_figure_keeps_its_pixels_bounded(run):
    width, height = run("plt.figure(figsize=(80, 60))\nplt.plot([1, 2])").pngs()[0]
    assert width * height <= 25_000_000
    assert run("plt.figure(dpi=300)\nplt.plot([1])").pngs() == [(1920, 1440)]


def test_a_figure_that_cannot_be_drawn_is_an_error(run):
    out = run("plt.title(r'$\\frac{$')\nprint('x')")
    assert out.ok is False and out.error["type"] == "ValueError" and out.stdout == "x\n"


def test_chart_data_tells_what_is_shown(run):
    out = run(
        "fig, (a, b, c, d) = plt.subplots(1, 4)\nfig.suptitle('All')\na.plot([1, 2], [3, float('nan')], label='L')\n"
        "a.set_title('T'); a.set_xlabel('X'); a.set_ylabel('Y')\nb.barh(['u', 'v'], [5, 7])\n"
        "c.pie([1, 3], labels=['p', 'q'])\nd.scatter([1, 2], [3, 4])\n"
        "plt.figure()\nplt.plot(pd.to_datetime(['2024-01-01', '2024-02-01']), [1, 2])"
    )
    chart, dates = (c["chart"] for c in out.mime("application/json"))
    assert chart["title"] == "All"
    a, b, c, d = chart["axes"]
    assert (a["title"], a["x_label"], a["y_label"]) == ("T", "X", "Y")
    assert a["series"][0] | {} == {
        "kind": "line",
        "label": "L",
        "x": [1, 2],
        "y": [3.0, None],
        "points": 2,
        "truncated": False,
    }
    assert (b["series"][0]["kind"], b["series"][0]["y"], b["series"][0]["x"]) == ("barh", ["u", "v"], [5.0, 7.0])
    assert (c["series"][0]["x"], c["series"][0]["y"]) == (["p", "q"], [0.25, 0.75])
    assert (d["series"][0]["kind"], d["series"][0]["x"]) == ("scatter", [1.0, 2.0])
    assert dates["axes"][0]["series"][0]["x"][0].startswith("2024-01-01")


def test_chart_data_is_bounded(run):
    out = run("plt.plot(range(100_000))\n[plt.plot([i]) for i in range(100)]\n0")
    series = out.mime("application/json")[0]["chart"]["axes"][0]["series"]
    assert len(series) == 30 and len(series[0]["x"]) == 100 and series[0]["truncated"]


def test_empty_charts_are_told_and_only_they(run):
    assert "empty_chart" in run("fig, ax = plt.subplots()").notices()
    assert "empty_chart" in run("plt.plot([], [])").notices()
    assert "empty_chart" in run("plt.bar([], [])").notices()
    assert "empty_chart" in run("plt.scatter([np.nan], [1])").notices()
    for full in (
        "plt.plot([1])",
        "plt.bar(['a'], [1])",
        "plt.imshow([[1]])",
        "plt.scatter([1], [2])",
        "fig, ax = plt.subplots(); ax.axis('off'); ax.table([['a']])",
        "fig, ax = plt.subplots(); ax.text(.5, .5, 'none')",
        "plt.boxplot([1, 2])",
        "plt.fill_between([1, 2], [1, 2])",
        "plt.pie([1])",
        "plt.hist([1, 2])",
        "plt.contour([[1, 2], [3, 4]])",
        "fig, axes = plt.subplots(2, 2); axes[0, 0].plot([1])",
    ):
        out = run(full)
        assert "empty_chart" not in out.notices() and out.pngs(), full


@pytest.mark.parametrize(
    ("index", "told"),
    [
        ("pd.period_range('2023-01', periods=3, freq='M')", ["2023-01", "2023-02", "2023-03"]),
        ("pd.period_range('2023Q4', periods=3, freq='Q')", ["2023Q4", "2024Q1", "2024Q2"]),
        ("pd.date_range('2023-01-30', periods=3)", ["2023-01-30", "2023-01-31", "2023-02-01"]),
        ("range(3)", [0, 1, 2]),
    ],
)
def test_periods_are_told_by_their_names(run, index, told):
    out = run(f"pd.Series([1, 2, 3], index={index}).plot()\nplt.axhline(2)")
    (chart,) = (said["chart"] for said in out.mime("application/json") if "chart" in said)
    assert [series["x"] for series in chart["axes"][0]["series"]] == [told, [0, 1]]


def test_labels_that_overlap_are_told_and_only_they(run):
    long = "[f'category number {i}' for i in range(20)], range(20)"
    assert run(f"plt.bar({long})").notices()["labels_overlap"] == {"axis": "x"}
    for fine in (
        f"plt.barh({long})",
        f"plt.bar({long}); plt.xticks(rotation=90)",
        f"plt.bar({long}); plt.xticks(rotation=45, ha='right')",
        "plt.plot(range(1000))",
        "plt.bar(['a', 'b'], [1, 2])",
        "plt.semilogx([1, 10, 1e6], [1, 2, 3])",
        "plt.plot(pd.date_range('2024-01-01', periods=400), range(400))",
        "plt.imshow(np.zeros((9, 9)))",
    ):
        assert "labels_overlap" not in run(fine).notices(), fine
    assert "labels_overlap" in run("plt.barh([f'n{i}' for i in range(90)], range(90))").notices()


def test_labels_cut_in_a_saved_file_are_told_and_only_they(run):
    long = "plt.barh(['a very long name of a product line ' * 2, 'b'], [1, 2])\n"
    assert run(long + "plt.savefig('a.png')").notices()["labels_cut"] == {"axis": "y"}
    assert "labels_cut" not in run(long + "plt.savefig('a.png', bbox_inches='tight')").notices()
    assert "labels_cut" not in run(long).notices()
    assert "labels_cut" not in run("plt.plot([1, 2])\nplt.savefig('a.pdf')").notices()


@pytest.mark.parametrize("dpi", [50, 300, "'figure'", "None"])
@pytest.mark.parametrize("layout", ["'constrained'", "'tight'", "None"])
def test_labels_are_looked_at_in_the_resolution_of_the_file(run, layout, dpi):
    two = f"f, (a, b) = plt.subplots(1, 2, layout={layout})\na.plot([1, 2])\nb.plot([1, 2])\nb.set_ylabel('v')\na.set_xlabel('x')\n"
    save = f"plt.savefig('a.png', dpi={dpi})\nprint(f.dpi)"
    out = run(two + save)
    assert "labels_cut" not in out.notices() and out.stdout == "100.0\n"
    assert run(two + "f.set_layout_engine('none')\nb.yaxis.set_label_coords(1.5, 0.5)\n" + save).notices()[
        "labels_cut"
    ] == {"axis": "y"}


@pytest.mark.parametrize(
    ("source", "size"),
    [
        ("plt.savefig('a.png')", (960, 720)),
        ("plt.gcf().savefig('a.png', facecolor='white')", (960, 720)),
        ("import pathlib; plt.savefig(pathlib.Path('a.png'))", (960, 720)),
        ("plt.savefig(open('a.png', 'wb'))", (960, 720)),
        ("plt.savefig('a.png', dpi=50)", (320, 240)),
        ("plt.savefig('a.png', dpi=200)", (1280, 960)),
        ("plt.rcParams['savefig.dpi'] = 80; plt.savefig('a.png')", (512, 384)),
        ("plt.rcParams['figure.dpi'] = 300; plt.figure(); plt.plot([1]); plt.savefig('a.png')", (1920, 1440)),
        ("plt.figure(figsize=(80, 60)); plt.plot([1]); plt.savefig('a.png')", (8000, 6000)),
    ],
)
def test_M12_a_saved_picture_is_sharp_unless_the_code_says_how(run, tmp_path, source, size):
    out = run(f"plt.plot([1, 2])\n{source}\nplt.close('all')")
    assert out.ok, out.frames
    head = next(tmp_path.rglob("a.png")).read_bytes()[16:24]
    assert struct.unpack(">II", head) == size
