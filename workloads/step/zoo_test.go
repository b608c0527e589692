package step

import _ "github.com/hashzoo/hashzoo/runtime/zoo" // the schemes that ship
