package blob

import "os"

// Staged is a content on its way.
type Staged struct{ file *os.File }
