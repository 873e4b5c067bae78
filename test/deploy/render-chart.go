// Renders the chart with the template engine that Helm is made of, because Helm itself is in no package registry
// of Debian or npm. The functions below are those of Helm that the chart uses, and no others: an unknown one is an error.
package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"sort"
	"strings"
	"text/template"
)

type object = map[string]interface{}

type files map[string]string

func (all files) Get(name string) string { return all[name] }

func (all files) Glob(pattern string) files {
	found := files{}
	for name, text := range all {
		if matches, _ := path.Match(pattern, name); matches {
			found[name] = text
		}
	}
	return found
}

func main() {
	var input struct {
		Chart, Release, Values object
		Files, Templates       files
	}
	check(json.NewDecoder(os.Stdin).Decode(&input))
	root := template.New("chart").Option("missingkey=zero")
	root.Funcs(template.FuncMap{
		"include": func(name string, data interface{}) (string, error) {
			var text strings.Builder
			err := root.ExecuteTemplate(&text, name, data)
			return text.String(), err
		},
		"base":       path.Base,
		"contains":   func(part, text string) bool { return strings.Contains(text, part) },
		"default":    func(standard, given interface{}) interface{} { return either(given, standard) },
		"has":        has,
		"join":       func(by string, items []string) string { return strings.Join(items, by) },
		"keys":       keys,
		"list":       func(items ...interface{}) []interface{} { return items },
		"nindent":    func(by int, text string) string { return "\n" + indent(by, text) },
		"quote":      func(text interface{}) string { return fmt.Sprintf("%q", fmt.Sprint(text)) },
		"replace":    func(before, after, text string) string { return strings.ReplaceAll(text, before, after) },
		"sha256sum":  func(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) },
		"sortAlpha":  func(items []string) []string { sort.Strings(items); return items },
		"toYaml":     func(value interface{}) string { return strings.TrimSuffix(toYaml(value), "\n") },
		"trimSuffix": func(end, text string) string { return strings.TrimSuffix(text, end) },
		"trunc":      func(length int, text string) string { return text[:min(length, len(text))] },
	})
	for name, text := range input.Templates {
		_, err := root.New(name).Parse(text)
		check(err)
	}
	rendered := files{}
	for name := range input.Templates {
		if strings.HasPrefix(path.Base(name), "_") {
			continue
		}
		var text strings.Builder
		data := object{"Chart": input.Chart, "Release": input.Release, "Values": input.Values, "Files": input.Files}
		check(root.ExecuteTemplate(&text, name, data))
		// Helm does the same: what is missing in a map prints as this, and should print as nothing.
		rendered[name] = strings.ReplaceAll(text.String(), "<no value>", "")
	}
	check(json.NewEncoder(os.Stdout).Encode(rendered))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}

func either(given, standard interface{}) interface{} {
	if given == nil || given == "" {
		return standard
	}
	return given
}

func has(wanted interface{}, items []interface{}) bool {
	for _, item := range items {
		if item == wanted {
			return true
		}
	}
	return false
}

func keys(value object) []string {
	names := []string{}
	for name := range value {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func indent(by int, text string) string {
	pad := strings.Repeat(" ", by)
	return pad + strings.ReplaceAll(text, "\n", "\n"+pad)
}

// Block style for what has members, JSON (which is YAML too) for the rest.
func toYaml(value interface{}) string {
	var text strings.Builder
	switch typed := value.(type) {
	case object:
		for _, name := range keys(typed) {
			text.WriteString(member(toYaml(name)+":", typed[name], 2))
		}
	case []interface{}:
		for _, item := range typed {
			text.WriteString(member("-", item, 2))
		}
	}
	if text.Len() > 0 {
		return text.String()
	}
	encoded, err := json.Marshal(value)
	check(err)
	return string(encoded)
}

func member(head string, value interface{}, by int) string {
	text := toYaml(value)
	if strings.HasSuffix(text, "\n") {
		return head + "\n" + indent(by, strings.TrimSuffix(text, "\n")) + "\n"
	}
	return head + " " + text + "\n"
}
