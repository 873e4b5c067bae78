/** From the cell of a project's name to its page; the columns Cloud and Domain must be in the same table. */
export const toProject = {
  on: 'Project',
  title: 'Open this project',
  url: '/d/cloud-project?var-datasource=${datasource}&var-cloud=${__data.fields.Cloud:percentencode}&var-project_domain=${__data.fields.Domain:percentencode}&var-project=${__data.fields.Project:percentencode}&${__url_time_range}',
};

export const toExporter = {
  title: 'Can the numbers be trusted?',
  url: '/d/cloud-exporter?${__url_time_range}',
};
