/** What every link hands on, so that the next board is about the same clouds at the same time. */
const samePlaceAndTime = 'var-datasource=${datasource}&${__url_time_range}';
const sameClouds = '${cloud:queryparam}';

/** From the cell of a project's name to its page; the columns Cloud and Domain must be in the same table. */
export const toProject = {
  on: 'Project',
  title: 'Open this project',
  url: `/d/cloud-project?${samePlaceAndTime}&var-cloud=\${__data.fields.Cloud:percentencode}&var-project_domain=\${__data.fields.Domain:percentencode}&var-project=\${__data.fields.Project:percentencode}`,
};

/** From the cell of a host's name; the columns Cloud and Zone must be in the same table. */
export const toHost = {
  on: 'Host',
  title: 'Open this host',
  url: `/d/cloud-host?${samePlaceAndTime}&var-cloud=\${__data.fields.Cloud:percentencode}&var-zone=\${__data.fields.Zone:percentencode}&var-host=\${__data.fields.Host:percentencode}`,
};

/** From the name of an alert to what to do, on the page that the exporter serves. */
export const toRunbook = {
  on: 'Alert',
  title: 'What to do',
  url: '${__data.fields.Runbook:raw}#${__data.fields.Alert}',
  targetBlank: true,
};

export const toExporter = {
  title: 'Can the numbers be trusted?',
  url: `/d/cloud-exporter?${samePlaceAndTime}&${sameClouds}`,
};

export const toLifecycle = {
  title: 'Which ones?',
  url: `/d/cloud-lifecycle?${samePlaceAndTime}&${sameClouds}`,
};

/** A board that wants one project can not be given "all" of them as a name. */
export const toProjectBoard = `/d/cloud-project?var-datasource=\${datasource}&${sameClouds}`;
