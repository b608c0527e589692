package host_test

import _ "github.com/hashzoo/hashzoo/runtime/zoo" // tests of the package configure the scheme
