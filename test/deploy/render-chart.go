// Renders the chart as Helm does, because Helm itself is in no package registry of Debian or npm: Go's templates, with
// the functions of sprig, Kubernetes' YAML and a JSON schema validator, all three as Debian packages them. Reads one
// chart and a list of installations from standard input, and writes what became of each.
package main

import (
	"encoding/json"
	"errors"
	"os"
	"path"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"github.com/xeipuuv/gojsonschema"
	"sigs.k8s.io/yaml"
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

type installation struct {
	Chart, Release, Values object
	Files, MoreTemplates   files
}

type result struct {
	Rendered files  `json:"rendered"`
	Error    string `json:"error,omitempty"`
}

func main() {
	var input struct {
		Files, Templates files
		Schema           object
		Installations    []installation
	}
	check(json.NewDecoder(os.Stdin).Decode(&input))
	schema, err := gojsonschema.NewSchema(gojsonschema.NewGoLoader(input.Schema))
	check(err)
	results := []result{}
	for _, each := range input.Installations {
		if each.Files == nil {
			each.Files = input.Files
		}
		rendered, err := render(each, input.Templates, schema)
		if err != nil {
			results = append(results, result{Error: err.Error()})
		} else {
			results = append(results, result{Rendered: rendered})
		}
	}
	check(json.NewEncoder(os.Stdout).Encode(results))
}

func render(given installation, templates files, schema *gojsonschema.Schema) (files, error) {
	if err := validate(given.Values, schema); err != nil {
		return nil, err
	}
	root := template.New("chart").Option("missingkey=zero")
	root.Funcs(functions(root))
	for _, part := range []files{given.MoreTemplates, templates} {
		for _, name := range sortedNames(part) {
			if _, err := root.New(name).Parse(part[name]); err != nil {
				return nil, err
			}
		}
	}
	rendered := files{}
	for _, name := range sortedNames(templates) {
		if strings.HasPrefix(path.Base(name), "_") {
			continue
		}
		var text strings.Builder
		data := object{
			"Chart": given.Chart, "Release": given.Release, "Values": given.Values, "Files": given.Files,
			"Template": object{"Name": name, "BasePath": "templates"},
		}
		if err := root.ExecuteTemplate(&text, name, data); err != nil {
			return nil, err
		}
		// Helm does the same: what is missing in a map prints as this, and should print as nothing.
		rendered[name] = strings.ReplaceAll(text.String(), "<no value>", "")
	}
	return rendered, nil
}

func validate(values object, schema *gojsonschema.Schema) error {
	found, err := schema.Validate(gojsonschema.NewGoLoader(values))
	if err != nil {
		return err
	}
	problems := []string{}
	for _, problem := range found.Errors() {
		problems = append(problems, problem.String())
	}
	if len(problems) == 0 {
		return nil
	}
	sort.Strings(problems)
	return errors.New("values don't meet the specifications of the schema(s):\n" + strings.Join(problems, "\n"))
}

// The functions that Helm adds to those of sprig, and the two that it takes away.
func functions(root *template.Template) template.FuncMap {
	all := sprig.TxtFuncMap()
	delete(all, "env")
	delete(all, "expandenv")
	all["include"] = func(name string, data interface{}) (string, error) {
		var text strings.Builder
		err := root.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	all["tpl"] = func(source string, data interface{}) (string, error) {
		own, err := root.Clone()
		if err != nil {
			return "", err
		}
		parsed, err := own.New("tpl").Parse(source)
		if err != nil {
			return "", err
		}
		var text strings.Builder
		err = parsed.Execute(&text, data)
		return strings.ReplaceAll(text.String(), "<no value>", ""), err
	}
	all["toYaml"] = func(value interface{}) string {
		text, err := yaml.Marshal(value)
		if err != nil {
			return ""
		}
		return strings.TrimSuffix(string(text), "\n")
	}
	all["fromYaml"] = func(text string) object {
		value := object{}
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			value["Error"] = err.Error()
		}
		return value
	}
	all["required"] = func(words string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return value, errors.New(words)
		}
		return value, nil
	}
	return all
}

func sortedNames(all files) []string {
	names := []string{}
	for name := range all {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func check(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
