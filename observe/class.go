package observe

import (
	"slices"
	"strings"

	"github.com/cellwall/cellwall"
)

// class is what kind of failure it was, as far as the way forward differs.
type class string

// The classes. Each has a hint in hints.
const (
	classTimeout   class = "timeout"
	classMemory    class = "memory"
	classOutput    class = "output"
	classDisk      class = "disk"
	classProcesses class = "processes"
	classBlocked   class = "blocked" // a read, write or lock that would have had to wait
	classStuck     class = "stuck"   // met the process limit, then waited until its time was up
	classCrashed   class = "crashed"
	classExit      class = "exit"
	classProtocol  class = "protocol"
	classRefused   class = "refused"
	classRejected  class = "rejected"
	classForbidden class = "forbidden" // blocked by an operator
	classCancelled class = "cancelled"
	classInternal  class = "internal"

	classColumn    class = "column"
	classKey       class = "key"
	classTable     class = "table" // a key of dfs
	classAttribute class = "attribute"
	classRemoved   class = "removed"
	className      class = "name"
	classImport    class = "import"
	classModule    class = "module"
	classOwn       class = "own"    // a file beside the program, which is not sent
	classOnline    class = "online" // a module that is not there and would not help: it needs a network
	classInstall   class = "install"
	classShell     class = "shell"
	classMagic     class = "magic" // a command that only a notebook has
	classFile      class = "file"
	classReadOnly  class = "read_only"
	classNetwork   class = "network"
	classInput     class = "input"
	classSyscall   class = "syscall"
	classSocket    class = "socket"
	classRights    class = "rights"
	classTerminal  class = "terminal"
	classFolder    class = "folder"
	classMapped    class = "mapped"
	classTool      class = "tool" // a call of tools.<name> that came to nothing
	classDataset   class = "dataset"

	classDate class = "date"

	classNotDates    class = "not_dates" // .dt, .str, .cat on a column of another kind
	classNotText     class = "not_text"
	classNotCategory class = "not_category"
	classIndexDates  class = "index_dates"

	classThousands class = "thousands"
	classMixed     class = "mixed"
	classMissing   class = "missing"
	classEmpty     class = "empty"
	classTimezone  class = "timezone"
	classFrequency class = "frequency"
	classEncoding  class = "encoding"
	classTokens    class = "tokens"
	classMerge     class = "merge"
	classDuplicate class = "duplicate"
	classTruth     class = "truth"
	classShape     class = "shape"
	classNone      class = "none"
	classWritable  class = "writable"
	classJSON      class = "json"
	classArgument  class = "argument"
	classIndex     class = "index"
	classZero      class = "zero"
	classRecursion class = "recursion"
	classNUL       class = "nul"
	classNested    class = "nested"
	classSyntax    class = "syntax"
	classStrict    class = "strict" // not given by the restricted interpreter
	classAssert    class = "assert"
	classGlyphs    class = "glyphs"
	classFiles     class = "files"
	classInterrupt class = "interrupt"
	classOther     class = "other"
)

// byStatus is what the kernel's evidence decides alone.
var byStatus = map[cellwall.Status]class{
	cellwall.StatusTimeout:       classTimeout,
	cellwall.StatusMemoryLimit:   classMemory,
	cellwall.StatusOutputLimit:   classOutput,
	cellwall.StatusDiskLimit:     classDisk,
	cellwall.StatusProcessLimit:  classProcesses,
	cellwall.StatusCancelled:     classCancelled,
	cellwall.StatusInternalError: classInternal,
}

// rule recognises a class by the exception: its type is one of types (any,
// when there are none) and its message contains one of texts (any, when there
// are none). The first rule that fits decides.
type rule struct {
	class class
	types []string
	texts []string
}

// family names stand for the exceptions that mean the same.
var (
	osErrors   = []string{"OSError", "IOError", "PermissionError", "BlockingIOError", "FileNotFoundError", "NotADirectoryError", "error"}
	valueTypes = []string{"ValueError", "TypeError", "AttributeError", "_UFuncNoLoopError", "UFuncTypeError", "DataError"}
)

var rules = []rule{
	{classTool, []string{
		"ToolError", "ToolUnknown", "ToolArguments", "ToolRefused", "ToolBusy", "ToolTimeout", "ToolFailed", "ToolEnded",
	}, nil},
	{classDataset, []string{"Unreadable", "DatasetUnreadable"}, nil},
	{classStrict, []string{"SecurityError"}, nil},
	{classInstall, []string{"NotAvailable"}, []string{"nothing can be installed"}},
	{classMagic, []string{"NotAvailable"}, []string{"the notebook command "}},
	{classMagic, []string{"SyntaxError"}, []string{"the notebook command %%"}},
	{classShell, []string{"NotAvailable"}, nil},
	{classInstall, nil, []string{"pip install", "%pip", "!pip", "%conda", "!conda", "conda install"}},
	{classShell, []string{"UsageError"}, nil},
	{classNUL, []string{"SyntaxError", "ValueError"}, []string{"null byte", "NUL character", "NUL byte"}},
	{classNested, []string{"SyntaxError", "IndentationError"}, []string{"too deeply nested", "too many nested", "too many statically nested", "too many levels of indentation"}},
	{classNested, []string{"MemoryError"}, []string{"Parser stack overflowed"}},
	{classSyntax, []string{"SyntaxError", "IndentationError", "TabError"}, nil},

	{classMemory, []string{"MemoryError", "_ArrayMemoryError", "ArrayMemoryError"}, nil},
	{classMemory, osErrors, []string{"[Errno 12]", "Cannot allocate memory"}},
	{classProcesses, []string{"RuntimeError"}, []string{"can't start new thread"}},
	{classProcesses, []string{"BlockingIOError", "OSError"}, []string{"[Errno 11]", "Resource temporarily unavailable"}},
	{classProcesses, []string{"BrokenProcessPool", "TerminatedWorkerError"}, nil},
	{classDisk, osErrors, []string{"[Errno 28]", "No space left", "[Errno 122]", "[Errno 27]", "File too large", "requested and"}},
	{classDisk, nil, []string{"database or disk is full", "Not enough free space to write"}},
	{classFiles, osErrors, []string{"[Errno 24]", "Too many open files"}},
	{classNetwork, []string{
		"URLError", "gaierror", "ConnectionError", "ConnectionRefusedError", "ConnectionResetError", "ConnectTimeout",
		"ConnectTimeoutError", "ConnectError", "MaxRetryError", "NewConnectionError", "NameResolutionError", "SSLError",
		"HTTPError", "ProxyError", "ClientConnectorError", "ClientConnectorDNSError", "RemoteDisconnected",
	}, nil},
	{classNetwork, nil, []string{
		"Address family not supported", "EAFNOSUPPORT", "[Errno 97]", "Network is unreachable", "[Errno 101]",
		"Name or service not known", "Temporary failure in name resolution", "No route to host", "Max retries exceeded",
	}},
	// An address in the place of a file: libraries that do not fetch say something else.
	{classNetwork, []string{"FileNotFoundError"}, []string{"http://", "https://", "ftp://", "s3://"}},
	{classNetwork, []string{"ValueError"}, []string{"Please open the URL for reading"}},
	{classNetwork, []string{"ArrowInvalid"}, []string{"Unrecognized filesystem type in URI: http", "Unrecognized filesystem type in URI: ftp"}},
	{classFolder, osErrors, []string{"non-existent directory"}},
	{classReadOnly, osErrors, []string{"[Errno 30]", "Read-only file system", "[Errno 13]"}},
	{classReadOnly, []string{"OperationalError"}, []string{"unable to open database file", "readonly database"}},
	{classTerminal, osErrors, []string{"Inappropriate ioctl for device", "out of pty devices"}},
	{classRights, nil, []string{"not allowed to raise maximum limit"}},
	{classInstall, []string{"CalledProcessError"}, []string{"'pip'", "'conda'", "'uv'"}},
	{classFile, []string{"FileNotFoundError", "IsADirectoryError", "NotADirectoryError", "BadZipFile"}, nil},
	{classInput, []string{"EOFError"}, []string{"when reading a line", "input()"}},
	{classInput, []string{"StdinNotImplementedError"}, nil},
	{classInput, []string{"RuntimeError"}, []string{"input()", "lost sys.stdin"}},
	{classModule, []string{"ModuleNotFoundError"}, nil},
	{classModule, []string{"ImportError"}, []string{"Missing optional dependency", "`Import ", "No module named", "Unable to find a usable engine"}},
	{classOwn, []string{"ImportError"}, []string{"attempted relative import"}},
	{classImport, []string{"ImportError"}, nil},

	{classColumn, []string{"UndefinedVariableError"}, nil},
	{classColumn, nil, []string{
		"not in index", "are in the [columns]", "Column not found", "columns expected but not found",
		"Missing column provided", "not found in axis", "Could not interpret value", "are not present in the DataFrame",
		"do not exist in the dataframe", "The following id_vars", "The following 'value_vars'", "The following 'id_vars'",
	}},
	{className, []string{"NameError", "UnboundLocalError"}, nil},

	{classTimezone, nil, []string{"tz-naive", "Tz-aware", "tz-aware", "timezones", "offset-naive"}},
	{classFrequency, nil, []string{"Invalid frequency", "is no longer supported for offsets"}},
	{classIndexDates, nil, []string{"Only valid with DatetimeIndex"}},
	{classDate, []string{"DateParseError", "OutOfBoundsDatetime", "OutOfBoundsTimedelta"}, nil},
	{classDate, []string{"ParserError"}, []string{"Unknown string format", "String does not contain a date"}},
	{classDate, nil, []string{
		"time data ", "unconverted data remains", "Unknown datetime string format", "datetimelike values", "datetime-like",
		"is out of range for month", "month must be in", "Given date string", "to datetime", "Invalid isoformat",
		"does not match format", "not convertible to datetime",
	}},
	{classTokens, []string{"ParserError", "EmptyDataError"}, nil},
	{classEncoding, []string{"UnicodeDecodeError", "UnicodeEncodeError", "UnicodeError"}, nil},
	{classJSON, []string{"JSONDecodeError"}, nil},
	{classJSON, []string{"TypeError", "ValueError"}, []string{"not JSON serializable"}},
	{classMissing, []string{"IntCastingNaNError"}, nil},
	{classMissing, nil, []string{
		"non-finite values", "float NaN to integer", "boolean value of NA is ambiguous", "with NA / NaN values", "Input contains NaN",
		"Input X contains NaN", "contains NaN",
	}},
	{classGlyphs, nil, []string{"missing from font", "missing from current font"}},
	{classTruth, []string{"ValueError"}, []string{"truth value of"}},
	{classMerge, []string{"ValueError"}, []string{"trying to merge on"}},
	{classMerge, []string{"MergeError"}, nil},
	{classDuplicate, []string{"ValueError", "InvalidIndexError"}, []string{"duplicate", "uniquely valued"}},
	{classEmpty, nil, []string{
		"iterable argument is empty", "arg is an empty sequence", "empty sequence", "zero-size array", "No objects to concatenate",
		"with size 0", "at least one data point", "No columns to parse", "Found array with 0 sample", "positional indexer is out-of-bounds",
		"no numeric data to plot", "a must be greater than 0 unless no samples", "cannot do a non-empty take", "requires at least one",
	}},
	{classThousands, []string{"ValueError", "TypeError"}, []string{"could not convert string to", "invalid literal for int", "Unable to parse string"}},
	{classMixed, valueTypes, []string{
		"unsupported operand type", "not supported between instances", "can only concatenate", "agg function failed", "to numeric",
		"Cannot perform reduction", "does not support reduction", "does not support operation", "not supported for the input types",
		"for dtype '", "could not convert", "Could not convert", "must be str, not", "can't multiply sequence", "Cannot cast", "cannot be performed against",
		"Can only string multiply", "Invalid comparison", "loop of ufunc does not support", "did not contain a loop", "invalid value for dtype", "Invalid value",
	}},
	{classWritable, []string{"ValueError"}, []string{"read-only"}},
	{classShape, valueTypes, []string{
		"Length of values", "same length", "same first dimension", "Length mismatch", "could not be broadcast", "Shapes of passed values",
		"shape mismatch", "shapes ", "Expected 2D array", "inconsistent numbers of samples", "too many values to unpack",
		"not enough values to unpack", "columns passed, passed data", "cannot reshape", "must be 1-dimensional", "same size",
	}},
	{classNone, nil, []string{"'NoneType' object"}},
	{classArgument, []string{"TypeError"}, []string{"argument", "not callable", "You have to supply"}},
	{classZero, []string{"ZeroDivisionError", "FloatingPointError"}, nil},
	{classRecursion, []string{"RecursionError"}, nil},
	{classIndex, []string{"IndexError", "IndexingError"}, nil},
	{classAssert, []string{"AssertionError"}, nil},
	{classInterrupt, []string{"KeyboardInterrupt"}, nil},
	{classExit, []string{"SystemExit"}, nil},
}

func (r rule) fits(kind, message string) bool {
	if len(r.types) > 0 && !slices.Contains(r.types, kind) {
		return false
	}
	return len(r.texts) == 0 || slices.ContainsFunc(r.texts, func(t string) bool { return strings.Contains(message, t) })
}
