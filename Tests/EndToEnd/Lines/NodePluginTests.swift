import Repository
import Requirements
import Testing

/// The nodes of Node-RED and the plugin of Signal K, at the interfaces that the documentation of these programs describes.
@Suite(.needs("apt-get install nodejs", Program.isInstalled("node")))
struct NodePluginTests {
  private static let clients = "\(Repository.root)/Sources/Documentation/clients"

  private static func script(_ text: String, _ arguments: [String]) throws -> Child {
    try Child("node", ["--eval", "const words = process.argv.slice(1);\n\(text)", "--"] + arguments)
  }

  /// The part of Node-RED that the nodes use.
  private static let nodeRED = """
    const { EventEmitter } = require('events')
    const types = {}, nodes = {}
    const RED = { nodes: {
      createNode: (node, config) => {
        const events = new EventEmitter()
        node.on = (name, act) => events.on(name, act)
        node.emit = (...values) => events.emit(...values)
        node.status = status => console.log('status', status.text ?? '')
        nodes[config.id] = node
      },
      registerType: (name, type) => { types[name] = type },
      getNode: id => nodes[id],
    } }
    require(words[0] + '/node-red/onefix.js')(RED)
    const make = (name, config) => new types[name](config)
    make('onefix-gateway', { id: 'g', app: 'peer', socket: words[1] })
    make('onefix-request', { id: 'r', gateway: 'g', purpose: 'To find parks', timeout: '60' })
    const input = (message, after) => nodes.r.emit('input', message, sent => {
      console.log('sent', sent.topic, sent.payload.accuracy)
    }, error => after(error))
    const end = () => { nodes.r.emit('close'); nodes.g.emit('close', false, () => console.log('closed')) }
    """

  @Test func `a message to the node of Node-RED becomes a fix, and the status shows the wait for a press`() async throws
  {
    try await Daemon.with(authorizing: "peer") { daemon in
      let text = """
        \(Self.nodeRED)
        input({ topic: 'a' }, error => { console.log('done', error ?? ''); end() })
        input({ topic: 'b' }, error => console.log(error.message))
        """
      let app = try Self.script(text, [Self.clients, daemon.socket])
      try await app.printed("status waiting for a press")
      try await daemon.press(until: ["served", "granted"])
      let finished = try await app.finish()
      let expected = [
        "status asking", "a request of this node is waiting already", "status waiting for a press", "status fix",
        "sent a full", "done ", "status ", "closed",
      ]
      #expect(finished.end == .exit(0) && finished.output == expected, "\(finished)")
    }
  }

  @Test func `the node of Node-RED reports a refusal with its code, and its wait ends when it closes`()
    async throws
  {
    try await Daemon.with { daemon in
      let text = """
        \(Self.nodeRED)
        input({ purpose: 'x'.repeat(81) }, error => {
          console.log('done', error.code)
          input({}, error => console.log('ended', error ?? ''))
          const wait = async () => {
            const client = await nodes.g.client()
            while ((await client.status()).state !== 'awaiting-press') await new Promise(next => setTimeout(next, 20))
            end()
          }
          wait()
        })
        """
      let app = try Self.script(text, [Self.clients, daemon.socket])
      let finished = try await app.finish()
      #expect(finished.end == .exit(0), "\(finished)")
      #expect(finished.output.contains("done 405") && finished.output.contains("ended "), "\(finished)")
    }
  }

  /// The part of Signal K that the plugin uses. The plugin stops after a number of positions.
  private static func signalK(positions: Int) -> String {
    """
    let deltas = 0
    const app = {
      setPluginStatus: text => console.log(text),
      setPluginError: text => console.log('error', text),
      handleMessage: (id, delta) => {
        const [update] = delta.updates
        const values = Object.fromEntries(update.values.map(({ path, value }) => [path, value]))
        const position = values['navigation.position']
        if (deltas === 0) console.log(id, position.latitude.toFixed(1), position.longitude.toFixed(1), update.timestamp.slice(-1))
        if (values['navigation.courseOverGroundTrue'] > 2 * Math.PI) console.log('degrees')
        deltas += 1
        if (deltas === \(positions)) plugin.stop()
      },
    }
    const plugin = require(words[0] + '/signalk')(app)
    plugin.start({ app: 'peer', socket: words[1], interval: 0 })
    """
  }

  @Test func `a plugin that may feed Signal K, and is not in use, waits for a press, which begins the feed`()
    async throws
  {
    try await Daemon.with { daemon in
      #expect(try await daemon.onefix("allow", "peer", "while-using").end == .exit(0))
      let app = try Self.script(Self.signalK(positions: 3), [Self.clients, daemon.socket])
      try await app.printed("waiting for a press of the button")
      try await daemon.press(until: ["served", "granted"])
      let finished = try await app.finish()
      let expected = [
        "waiting for the answer of the user", "receiving fixes", "waiting for a press of the button",
        "onefix 47.4 8.5 Z", "receiving fixes",
      ]
      #expect(finished.end == .exit(0) && finished.output == expected, "\(finished)")
    }
  }

  @Test func `after the answer of the user, the plugin feeds Signal K with positions`() async throws {
    try await Daemon.with { daemon in
      let owner = try await Peer.owner(daemon, "SUB owner/prompt asked")
      let app = try Self.script(Self.signalK(positions: 2), [Self.clients, daemon.socket])
      _ = try await owner.next("MSG owner/prompt asked")
      #expect(try await owner.reply(to: "ANSWER 1 while-using") == "+OK")
      let finished = try await app.finish()
      let expected = ["waiting for the answer of the user", "receiving fixes", "onefix 47.4 8.5 Z"]
      #expect(finished.end == .exit(0) && finished.output == expected, "\(finished)")
    }
  }
}
