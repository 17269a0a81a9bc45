module runwright.dev/hack/toolchain/pause

go 1.21
