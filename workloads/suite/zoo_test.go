package suite

import _ "github.com/hashzoo/hashzoo/runtime/zoo" // tests run the schemes that ship
