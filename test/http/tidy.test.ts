import express from 'express';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { createTidying } from '../../src/http/tidy.ts';
import { createGate, type Gate } from '../support/gate.ts';

const megabyte = 1_048_576;

/** A program that has so much memory in use for good; each request leaves some garbage. */
function createProgram(heldMegabytes: number) {
  let garbage = 0;
  let looked = createGate();
  const collectedAfter: string[] = [];
  const answered: string[] = [];
  const gates = new Map<string, { readonly arrived: Gate; readonly gate: Gate }>();
  const app = express();
  app.use(
    createTidying({
      used() {
        looked.open();
        return (heldMegabytes + garbage) * megabyte;
      },
      collectGarbage() {
        garbage = 0;
        collectedAfter.push(answered.join(' '));
      },
    }),
  );
  app.get('/:name/:garbage', async ({ params }, response) => {
    garbage += Number(params.garbage);
    gates.get(params.name)?.arrived.open();
    await gates.get(params.name)?.gate.passed;
    answered.push(params.name);
    response.send('done');
  });
  const server = app.listen(0, '127.0.0.1');

  /** Waits until it was seen how much memory is in use after it. */
  async function ask(name: string, megabytes: number): Promise<void> {
    looked = createGate();
    const { passed } = looked;
    await request(server).get(`/${name}/${megabytes}`).expect(200);
    await passed;
    await new Promise((resolve) => setImmediate(resolve));
  }

  return { server, ask, gates, collectedAfter };
}

describe('between scrapes', () => {
  it('garbage is collected as soon as there is enough of it', async () => {
    const { server, ask, collectedAfter } = createProgram(40);
    await ask('first', 15);
    expect(collectedAfter).toEqual([]);
    await ask('second', 1);
    expect(collectedAfter).toEqual(['first second']);
    await ask('third', 15);
    expect(collectedAfter).toEqual(['first second']);
    server.close();
  });

  it('a program with much in use waits for more garbage', async () => {
    const { server, ask, collectedAfter } = createProgram(150);
    await ask('first', 29);
    expect(collectedAfter).toEqual([]);
    await ask('second', 1);
    expect(collectedAfter).toEqual(['first second']);
    server.close();
  });

  it('a program with very much in use is left to the engine', async () => {
    const { server, ask, collectedAfter } = createProgram(200);
    await ask('first', 57);
    expect(collectedAfter).toEqual([]);
    server.close();
  });

  it('nobody waits for it who is about to be answered', async () => {
    const { server, ask, gates, collectedAfter } = createProgram(40);
    const [arrived, gate] = [createGate(), createGate()];
    gates.set('slow', { arrived, gate });
    const slow = request(server)
      .get('/slow/20')
      .then(({ status }) => status);
    await arrived.passed;
    await request(server).get('/quick/20').expect(200);
    await new Promise((resolve) => setImmediate(resolve));
    expect(collectedAfter).toEqual([]);
    gate.open();
    expect(await slow).toBe(200);
    await ask('last', 0);
    expect(collectedAfter[0]).toMatch(/^quick slow/);
    server.close();
  });
});
