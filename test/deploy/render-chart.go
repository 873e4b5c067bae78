// Renders the chart as Helm does, because Helm itself is in no package registry of Debian or npm: Go's templates, with
// the functions of sprig, Kubernetes' YAML and a JSON schema validator, all three as Debian packages them. Reads from
// standard input where the chart is and what it is given, and writes what becomes of each template.
package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
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

func main() {
	var given struct {
		Folder                 string
		Chart, Release, Values object
	}
	check(json.NewDecoder(os.Stdin).Decode(&given))
	check(validate(given.Values, path.Join(given.Folder, "values.schema.json")))
	templates := readBelow(given.Folder, "templates")
	root := template.New("chart").Option("missingkey=zero")
	root.Funcs(functions(root))
	for name, text := range templates {
		_, err := root.New(name).Parse(text)
		check(err)
	}
	rendered := files{}
	for name := range templates {
		if strings.HasPrefix(path.Base(name), "_") {
			continue
		}
		var text strings.Builder
		check(root.ExecuteTemplate(&text, name, object{
			"Chart": given.Chart, "Release": given.Release, "Values": given.Values,
			"Files":    readBelow(given.Folder, "files"),
			"Template": object{"Name": name, "BasePath": "templates"},
		}))
		// Helm does the same: what is missing in a map prints as this, and should print as nothing.
		rendered[name] = strings.ReplaceAll(text.String(), "<no value>", "")
	}
	check(json.NewEncoder(os.Stdout).Encode(rendered))
}

// A file that is a link is read as what it leads to, as Helm does.
func readBelow(chart, folder string) files {
	found := files{}
	check(filepath.WalkDir(filepath.Join(chart, folder), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		relative, _ := filepath.Rel(chart, name)
		found[relative] = string(text)
		return err
	}))
	return found
}

func validate(values object, schemaFile string) error {
	schema := gojsonschema.NewReferenceLoader("file://" + schemaFile)
	found, err := gojsonschema.Validate(schema, gojsonschema.NewGoLoader(values))
	if err != nil || found.Valid() {
		return err
	}
	problems := []string{}
	for _, problem := range found.Errors() {
		problems = append(problems, problem.String())
	}
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
	all["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	// Where Helm goes on with the error as a value, this fails.
	all["fromYaml"] = func(text string) (object, error) {
		value := object{}
		err := yaml.Unmarshal([]byte(text), &value)
		return value, err
	}
	return all
}

func check(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
