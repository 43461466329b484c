// The nodes of Node-RED: onefix-gateway (a connection as an app) and onefix-request (a message in, a fix out).

module.exports = RED => {
  function Gateway(config) {
    RED.nodes.createNode(this, config)
    const address = config.host ? { host: config.host, port: Number(config.port) } : config.socket
    const options = { app: config.app, key: this.credentials?.key || undefined, tls: Boolean(config.tls) || undefined }
    let connecting

    /** Returns the client, which connects again after the connection was lost. */
    this.client = () => {
      connecting ??= import('../onefix.mjs').then(onefix => onefix.connect(address, options))
      connecting.catch(() => { connecting = undefined })
      return connecting
    }
    this.on('close', (isRemoved, done) => {
      Promise.resolve(connecting).then(client => client?.close()).catch(() => {}).finally(done)
      connecting = undefined
    })
  }

  function Request(config) {
    RED.nodes.createNode(this, config)
    const gateway = RED.nodes.getNode(config.gateway)
    let stop

    this.on('input', async (message, send, done) => {
      if (stop) return done(new Error('a request of this node is waiting already'))
      if (!gateway) return done(new Error('no gateway is chosen'))
      stop = new AbortController()
      const { signal } = stop
      this.status({ fill: 'blue', shape: 'ring', text: 'asking' })
      let failure
      try {
        const client = await gateway.client()
        message.payload = await client.requestOnce({
          purpose: message.purpose ?? (config.purpose || undefined),
          accuracy: config.accuracy || undefined,
          timeout: Number(config.timeout) || undefined,
          armed: () => this.status({ fill: 'yellow', shape: 'ring', text: 'waiting for a press' }),
          signal,
        })
      } catch (error) {
        failure = error
      }
      // A new message may come as soon as this one is done.
      stop = undefined
      if (signal.aborted) return done()
      this.status(failure
        ? { fill: 'red', shape: 'dot', text: failure.text ?? failure.message }
        : { fill: 'green', shape: 'dot', text: 'fix' })
      if (!failure) send(message)
      done(failure)
    })
    this.on('close', () => {
      stop?.abort()
      this.status({})
    })
  }

  RED.nodes.registerType('onefix-gateway', Gateway, { credentials: { key: { type: 'password' } } })
  RED.nodes.registerType('onefix-request', Request)
}
