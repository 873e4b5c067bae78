//go:build !jsoniter

package main

import (
	"encoding/json"
	"io"
)

func decode(body io.Reader, into *page) error {
	return json.NewDecoder(body).Decode(into)
}
