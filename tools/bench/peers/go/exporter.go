// The same exporter in Go: net/http, encoding/json or json-iterator, client_golang with constant metrics.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

type device struct {
	DevType string `json:"dev_type"`
	Model   string `json:"model"`
}

type server struct {
	ID              string   `json:"id"`
	Name            string   `json:"name"`
	Status          string   `json:"status"`
	Region          string   `json:"region"`
	Cloudregion     string   `json:"cloudregion"`
	Zone            string   `json:"zone"`
	Hypervisor      string   `json:"hypervisor"`
	ProjectDomain   string   `json:"project_domain"`
	Project         string   `json:"project"`
	Tenant          string   `json:"tenant"`
	Host            string   `json:"host"`
	OsType          string   `json:"os_type"`
	InstanceType    string   `json:"instance_type"`
	Brand           string   `json:"brand"`
	BillingType     string   `json:"billing_type"`
	Ips             string   `json:"ips"`
	CreatedAt       string   `json:"created_at"`
	UpdatedAt       string   `json:"updated_at"`
	ExpiredAt       *string  `json:"expired_at"`
	IsGpu           bool     `json:"is_gpu"`
	PendingDeleted  bool     `json:"pending_deleted"`
	VcpuCount       float64  `json:"vcpu_count"`
	VmemSize        float64  `json:"vmem_size"`
	Disk            float64  `json:"disk"`
	DiskCount       float64  `json:"disk_count"`
	IsolatedDevices []device `json:"isolated_devices"`
}

type page struct {
	Servers []server `json:"servers"`
	Total   int      `json:"total"`
}

type place struct {
	region, zone, hypervisor, projectDomain, project, status string
}

type deviceKey struct {
	place  place
	device device
}

type sums struct {
	servers, gpu, vcpus, memory, disk, disks, pending float64
}

const mebibyte = 1024 * 1024

var placeLabels = []string{"cloud", "region", "zone", "hypervisor", "project_domain", "project", "status", "state"}

func describe(name string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, "The same as in the exporter.", labels, nil)
}

var (
	fleet = []*prometheus.Desc{
		describe("cloud_servers", placeLabels...),
		describe("cloud_servers_gpu", placeLabels...),
		describe("cloud_servers_vcpus", placeLabels...),
		describe("cloud_servers_memory_bytes", placeLabels...),
		describe("cloud_servers_disk_bytes", placeLabels...),
		describe("cloud_servers_disks", placeLabels...),
		describe("cloud_servers_pending_deletion", placeLabels...),
	}
	isolatedDevices = describe("cloud_servers_devices", append(append([]string{}, placeLabels...), "dev_type", "model")...)
	info            = describe("cloud_server_info", "cloud", "region", "zone", "hypervisor", "project_domain", "project",
		"id", "name", "host", "os_type", "instance_type", "brand", "billing_type", "ips")
	status  = describe("cloud_server_status", "cloud", "id", "status", "state")
	numbers = []*prometheus.Desc{
		describe("cloud_server_vcpus", "cloud", "id"),
		describe("cloud_server_memory_bytes", "cloud", "id"),
		describe("cloud_server_disk_bytes", "cloud", "id"),
		describe("cloud_server_isolated_devices", "cloud", "id"),
	}
	expiry  = describe("cloud_server_expiry_timestamp_seconds", "cloud", "id")
	updated = describe("cloud_server_updated_timestamp_seconds", "cloud", "id")
	created = describe("cloud_server_created_timestamp_seconds", "cloud", "id")
)

type exporter struct {
	baseURL, token, query string
	pageSize, concurrency int
	perServer             bool
	client                *http.Client
}

type inventory struct {
	mutex   sync.Mutex
	groups  map[place]*sums
	devices map[deviceKey]float64
	servers []server
	total   int
}

func (e *exporter) Describe(ch chan<- *prometheus.Desc) {
	ch <- info
}

func (e *exporter) Collect(ch chan<- prometheus.Metric) {
	found := &inventory{groups: map[place]*sums{}, devices: map[deviceKey]float64{}}
	e.read(0, found)
	next := int64(0)
	var workers sync.WaitGroup
	for i := 0; i < e.concurrency; i++ {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for {
				offset := int(atomic.AddInt64(&next, 1)) * e.pageSize
				if offset >= found.total {
					return
				}
				e.read(offset, found)
			}
		}()
	}
	workers.Wait()
	found.send(ch)
}

func (e *exporter) read(offset int, found *inventory) {
	url := fmt.Sprintf("%s/servers?details=true&with_meta=true&limit=%d&offset=%d%s", e.baseURL, e.pageSize, offset, e.query)
	request, err := http.NewRequest("GET", url, nil)
	if err != nil {
		panic(err)
	}
	request.Header.Set("X-Auth-Token", e.token)
	request.Header.Set("Content-Type", "application/json")
	response, err := e.client.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	var one page
	if err := decode(response.Body, &one); err != nil {
		panic(err)
	}
	found.add(&one, offset == 0, e.perServer)
}

func (found *inventory) add(one *page, isFirst bool, keep bool) {
	found.mutex.Lock()
	defer found.mutex.Unlock()
	if isFirst {
		found.total = one.Total
	}
	for i := range one.Servers {
		s := &one.Servers[i]
		if s.Region == "" {
			s.Region = s.Cloudregion
		}
		if s.Project == "" {
			s.Project = s.Tenant
		}
		key := place{s.Region, s.Zone, s.Hypervisor, s.ProjectDomain, s.Project, s.Status}
		group := found.groups[key]
		if group == nil {
			group = &sums{}
			found.groups[key] = group
		}
		group.servers++
		if s.IsGpu {
			group.gpu++
		}
		if s.PendingDeleted {
			group.pending++
		}
		group.vcpus += s.VcpuCount
		group.memory += s.VmemSize * mebibyte
		group.disk += s.Disk * mebibyte
		group.disks += s.DiskCount
		for _, d := range s.IsolatedDevices {
			found.devices[deviceKey{key, d}]++
		}
	}
	if keep {
		found.servers = append(found.servers, one.Servers...)
	}
}

func (found *inventory) send(ch chan<- prometheus.Metric) {
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	for p, s := range found.groups {
		labels := p.labels()
		values := []float64{s.servers, s.gpu, s.vcpus, s.memory, s.disk, s.disks, s.pending}
		for i, value := range values {
			gauge(fleet[i], value, labels...)
		}
	}
	for key, count := range found.devices {
		gauge(isolatedDevices, count, append(key.place.labels(), key.device.DevType, key.device.Model)...)
	}
	for i := range found.servers {
		s := &found.servers[i]
		gauge(info, 1, "default", s.Region, s.Zone, s.Hypervisor, s.ProjectDomain, s.Project,
			s.ID, s.Name, s.Host, s.OsType, s.InstanceType, s.Brand, s.BillingType, s.Ips)
		gauge(status, 1, "default", s.ID, s.Status, stateOf(s.Status))
		for n, value := range []float64{s.VcpuCount, s.VmemSize * mebibyte, s.Disk * mebibyte, float64(len(s.IsolatedDevices))} {
			gauge(numbers[n], value, "default", s.ID)
		}
		if s.ExpiredAt != nil {
			gauge(expiry, seconds(*s.ExpiredAt), "default", s.ID)
		}
		gauge(updated, seconds(s.UpdatedAt), "default", s.ID)
		gauge(created, seconds(s.CreatedAt), "default", s.ID)
	}
}

func (p place) labels() []string {
	return []string{"default", p.region, p.zone, p.hypervisor, p.projectDomain, p.project, p.status, stateOf(p.status)}
}

func stateOf(status string) string {
	switch {
	case strings.Contains(status, "fail"):
		return "failed"
	case status == "running":
		return "running"
	case status == "ready":
		return "stopped"
	case status == "unknown":
		return "unknown"
	}
	return "transition"
}

func seconds(text string) float64 {
	moment, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return 0
	}
	return float64(moment.UnixMilli()) / 1000
}

func number(name string) int {
	value, err := strconv.Atoi(os.Getenv(name))
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	concurrency := number("CONCURRENCY")
	registry := prometheus.NewRegistry()
	registry.MustRegister(&exporter{
		baseURL:     os.Getenv("BASE_URL"),
		token:       os.Getenv("TOKEN"),
		query:       os.Getenv("QUERY"),
		pageSize:    number("PAGE_SIZE"),
		concurrency: concurrency,
		perServer:   os.Getenv("PER_SERVER") == "true",
		client:      &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: concurrency, DisableCompression: true}},
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Printf("http://%s\n", listener.Addr())
	http.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{DisableCompression: true}))
	panic(http.Serve(listener, nil))
}
