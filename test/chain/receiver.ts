import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** What Alertmanager tells a webhook, as far as it is looked at. */
export interface Notification {
  readonly receiver: string;
  readonly status: 'firing' | 'resolved';
  readonly groupLabels: Readonly<Record<string, string>>;
  readonly alerts: readonly {
    readonly status: 'firing' | 'resolved';
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  }[];
}

export interface Receiver {
  readonly url: string;
  /** Everything that was told, in order. */
  readonly told: readonly Notification[];
  /** The first notification of this kind, told already or told next. */
  hears(isWanted: (notification: Notification) => boolean): Promise<Notification>;
}

/** Somebody who is notified. */
export async function startReceiver(): Promise<Receiver> {
  const told: Notification[] = [];
  const listeners = new Set<(notification: Notification) => void>();
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      response.end();
      const notification = body as Notification;
      told.push(notification);
      for (const listener of listeners) listener(notification);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    told,
    hears(isWanted) {
      const known = told.find(isWanted);
      if (known) return Promise.resolve(known);
      return new Promise((resolve) => {
        const listener = (notification: Notification) => {
          if (!isWanted(notification)) return;
          listeners.delete(listener);
          resolve(notification);
        };
        listeners.add(listener);
      });
    },
  };
}
