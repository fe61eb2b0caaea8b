package observe

import (
	"slices"
	"strings"
)

// known are modules that a program can only mean as packages. Any other that is not there
// may as well be a file of the caller's, of which nothing was sent.
var known = []string{
	"scipy", "sklearn", "statsmodels", "seaborn", "plotly", "bokeh", "altair", "xgboost", "lightgbm", "catboost", "torch", "torchvision",
	"tensorflow", "keras", "transformers", "prophet", "pmdarima", "networkx", "sympy", "duckdb", "polars", "dask", "pyspark", "modin",
	"geopandas", "shapely", "folium", "nltk", "spacy", "jieba", "gensim", "wordcloud", "pyecharts", "cv2", "skimage", "PIL", "bs4", "lxml",
	"yaml", "tabulate", "jinja2", "Jinja2", "xlrd", "xlwt", "xlsxwriter", "openpyxl", "pyarrow", "fastparquet", "sqlalchemy", "pydantic",
	"tqdm", "numba", "joblib", "docx", "pptx", "PyPDF2", "pypdf", "fitz", "reportlab", "missingno", "tkinter", "IPython", "ipywidgets",
}

// own is a missing module that may be a file of the caller's, "" for one that is a package.
func own(f fault) string {
	top, _, _ := strings.Cut(f.name, ".")
	if f.kind != "ModuleNotFoundError" || slices.Contains(known, top) {
		return ""
	}
	return cutEnd(f.name, maxName)
}
