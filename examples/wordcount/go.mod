module wordcount

go 1.24
