// The driver of onefix.mjs for the conformance test.

import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import * as onefix from '../../../Sources/Documentation/clients/onefix.mjs'

const write = result => process.stdout.write(`${JSON.stringify(result)}\n`)
let client

async function connect({ app, socket, host, port, key, token, trust, certificate, private_key: privateKey }) {
  const files = certificate && { cert: readFileSync(certificate), key: readFileSync(privateKey) }
  const tls = trust && { ca: readFileSync(trust) }
  client = await onefix.connect(socket ?? { host, port }, { app, key, token, tls, certificate: files })
}

async function each(elements, count) {
  for await (const element of elements) {
    write(element)
    if (--count === 0) break
  }
  write({ stopped: true })
}

async function perform({ do: name, ...order }) {
  switch (name) {
    case 'connect': await connect(order); return write({ connected: true })
    case 'request_once': return write(await client.requestOnce({ ...order, maxAge: order.max_age }))
    case 'authorize': return write(await client.authorize(order))
    case 'updates': return await each(client.updates(order), order.count)
    case 'region_events': return await each(client.regionEvents(), order.count)
    case 'add_region': await client.addRegion(order); return write({ done: true })
    case 'remove_region': await client.removeRegion(order.id); return write({ done: true })
    case 'regions': return write({ ids: (await client.regions()).map(region => region.id) })
    case 'background': await client.enterBackground(); return write({ done: true })
    case 'foreground': await client.enterForeground(); return write({ done: true })
    case 'close': await client.close(); return write({ closed: true })
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  try {
    await perform(JSON.parse(line))
  } catch (error) {
    if (error instanceof onefix.Refused) write({ error: error.code, retry_after: error.retryAfter })
    else if (error instanceof onefix.Untrusted) write({ error: 'untrusted' })
    else if (error instanceof onefix.ConnectionLost) write({ error: 'lost' })
    else throw error
  }
}
