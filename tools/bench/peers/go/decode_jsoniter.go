//go:build jsoniter

package main

import (
	"io"

	jsoniter "github.com/json-iterator/go"
)

func decode(body io.Reader, into *page) error {
	return jsoniter.ConfigCompatibleWithStandardLibrary.NewDecoder(body).Decode(into)
}
