// A plugin of the Signal K server: asks the user once, and then feeds Signal K with fixes while it runs. After a restart
// of the server or the gateway, a press begins the feed again, unless the app has the authorization "always".

const PURPOSE = 'To show the boat on the chart'
// The delay before the plugin tries again, in milliseconds. The gateway may ask for a longer one.
const DELAY = 10_000

module.exports = app => {
  let stop
  const plugin = {
    id: 'onefix',
    name: 'OneFix',
    description: 'Fixes of a OneFix gateway',
    schema: {
      type: 'object',
      required: ['app'],
      properties: {
        app: { type: 'string', title: 'Id of the app in onefix.toml', default: 'signalk' },
        socket: { type: 'string', title: 'Socket of the gateway', default: '/run/onefix/onefix.sock' },
        interval: { type: 'number', title: 'Least time between two fixes (ms)', default: 1000 },
      },
    },
    start(settings) {
      stop = new AbortController()
      follow(settings, stop.signal)
    },
    stop() { stop?.abort() },
  }

  async function follow(settings, signal) {
    while (!signal.aborted) {
      let delay = DELAY
      try {
        await receive(settings, signal)
      } catch (error) {
        if (signal.aborted) return
        delay = Math.max(DELAY, (error.retryAfter ?? 0) * 1000)
        app.setPluginError(error.message)
      }
      await pause(delay, signal)
    }
  }

  async function receive({ app: id, socket, interval }, signal) {
    const { connect } = await import('../onefix.mjs')
    const client = await connect(socket, { app: id })
    const close = () => { client.close() }
    signal.addEventListener('abort', close)
    try {
      if (signal.aborted) return
      app.setPluginStatus('waiting for the answer of the user')
      const { status } = await client.authorize({ scope: 'when-in-use', purpose: PURPOSE })
      if (status !== 'whenInUse' && status !== 'always') throw new Error(`the user has not allowed it (${status})`)
      const feed = fix => app.handleMessage(plugin.id, delta(fix))
      while (true) {
        try {
          app.setPluginStatus('receiving fixes')
          for await (const fix of client.updates({ interval, background: true })) feed(fix)
        } catch (error) {
          if (error.name !== 'NotInUse') throw error
          // After a restart, only a press that serves the app begins its use again.
          app.setPluginStatus('waiting for a press of the button')
          feed(await client.requestOnce({ purpose: PURPOSE, timeout: 3600 }))
        }
      }
    } finally {
      signal.removeEventListener('abort', close)
      await client.close()
    }
  }

  return plugin
}

/** Returns a fix as a delta of Signal K, whose units are SI units and radians. */
function delta(fix) {
  const values = [
    ['navigation.position', fix.lat === undefined ? undefined :
      { latitude: fix.lat, longitude: fix.lon, ...(fix.alt === undefined ? {} : { altitude: fix.alt }) }],
    ['navigation.speedOverGround', fix.speed],
    ['navigation.courseOverGroundTrue', fix.course === undefined ? undefined : fix.course * Math.PI / 180],
    ['navigation.gnss.satellites', fix.sats],
    ['navigation.gnss.horizontalDilution', fix.hdop],
    ['navigation.gnss.positionDilution', fix.pdop],
  ].filter(([, value]) => value !== undefined).map(([path, value]) => ({ path, value }))
  return { updates: [{ timestamp: fix.time, values }] }
}

function pause(milliseconds, signal) {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener('abort', () => { clearTimeout(timer); resolve() }, { once: true })
  })
}
