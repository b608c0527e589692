module github.com/hashzoo/hashzoo

go 1.26
