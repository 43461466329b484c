import LineProtocol
import Repository
import Requirements
import Testing

/// `onefix.mjs` as a module.
@Suite(.needs("apt-get install nodejs", Program.isInstalled("node")))
struct NodeClientTests {
  static let module = "\(Repository.root)/Sources/Documentation/clients/onefix.mjs"

  /// Starts a script that may use the module.
  private static func script(_ text: String, _ arguments: [String] = []) throws -> Child {
    let begin = "import * as onefix from '\(module)'; const words = process.argv.slice(1);\n"
    return try Child("node", ["--input-type=module", "--eval", begin + text, "--"] + arguments)
  }

  /// Runs a script, which must succeed, with the path of a socket and the arguments. Returns its output.
  private static func output(_ text: String, _ arguments: [String] = []) async throws -> [String] {
    let folder = try Folder()
    let end = try await script(text, [folder.path("gateway.sock")] + arguments).finish()
    try #require(end.end == .exit(0), "\(end)")
    return end.output
  }

  /// Returns code for a gateway, the constant `server`, that runs `answer` for each command: the words `tag` and `verb`.
  /// The array `heard` has the verbs so far, `listen` starts the gateway at the socket of the test, and `client` is an
  /// app at this gateway.
  private static func gateway(answering answer: String) -> String {
    """
    import { createServer } from 'node:net'
    const heard = []
    const server = createServer(socket => {
      socket.on('error', () => {})
      socket.write('INFO proto=1 id=x\\n')
      socket.on('data', data => {
        for (const line of data.toString().split('\\n').filter(Boolean)) {
          const [tag, verb] = line.split(' ')
          if (verb === undefined) continue
          heard.push(verb)
          \(answer)
        }
      })
    })
    const path = words[0]
    const listen = () => new Promise(resolve => server.listen(path, resolve))
    await listen()
    const client = await onefix.connect(path, { app: 'app' })
    """
  }

  @Test func `each error code becomes the error that the page names`() async throws {
    let documented = try PythonClientTests.documented()
    // A gateway that refuses the first command of the app, or from 900 to 903 its first line, with the code.
    let text = """
      let code = ''
      \(Self.gateway(answering: """
        const isRefused = code >= '900' && code < '904' ? verb === 'HELLO' : verb === 'STATUS'
        socket.write(isRefused ? `-ERR ${code} slug ${tag} retry-after=7 :text\\n` : `+OK ${tag}\\n`)
        """))
      for (code of words.slice(1)) {
        try {
          await (await onefix.connect(path, { app: 'app' })).status()
        } catch (error) {
          if (!(error instanceof onefix.OneFixError)) throw error
          if (error instanceof onefix.Refused && (error.code !== Number(code) || error.retryAfter !== 7)) throw error
          console.log(error.name)
        }
      }
      process.exit()
      """
    let codes = ErrorCode.allCases
    let names = try await Self.output(text, codes.map { "\($0.rawValue)" })
    #expect(names.count == codes.count)
    for (code, name) in zip(codes, names) { #expect(documented[code.rawValue] == name, "\(code)") }
  }

  @Test func `a request can be withdrawn, and updates need no press after the answer of the user`() async throws {
    try await Daemon.with { daemon in
      let owner = try await Peer.owner(daemon, "SUB owner/prompt asked")
      let text = """
        const client = await onefix.connect(words[0], { app: 'peer' })
        const stop = new AbortController()
        try {
          await client.requestOnce({ armed: () => stop.abort(new Error('withdrawn')), signal: stop.signal })
        } catch (error) {
          console.log(error.message, (await client.status()).state)
        }
        for (const time of [1, 2]) console.log(JSON.stringify(await client.authorize({ purpose: 'To warn of shallows' })))
        for await (const fix of client.updates({ interval: 0 })) {
          console.log(fix.accuracy)
          break
        }
        await client.close()
        """
      let app = try Self.script(text, [daemon.socket])
      _ = try await owner.next("MSG owner/prompt asked")
      #expect(try await owner.reply(to: "ANSWER 1 while-using") == "+OK")
      let finished = try await app.finish()
      let answer = #"{"status":"whenInUse","accuracy":"full"}"#
      #expect(finished.end == .exit(0) && finished.output == ["withdrawn idle", answer, answer, "full"], "\(finished)")
    }
  }

  @Test func `a key at a Unix socket is an error that says to leave the key out, in Python and in Node`() async throws {
    try await Daemon.with { daemon in
      let python = """
        try:
            onefix.connect(sys.argv[1], app="peer", key="A" * 43)
        except onefix.Untrusted as error:
            print(error)
        """
      let node = """
        await onefix.connect(words[0], { app: 'peer', key: 'A'.repeat(43) }).catch(error => console.log(error.message))
        """
      for app in [try PythonClientTests.script(python, [daemon.socket]), try Self.script(node, [daemon.socket])] {
        let end = try await app.finish()
        #expect(end.output.last?.hasSuffix("(a Unix socket needs no key: leave the key out)") == true, "\(end)")
      }
    }
  }

  @Test func `after a connection that could not be restored, the next call connects again`() async throws {
    // A gateway that stops at the first STATUS.
    let text = """
      let isStopping = true
      \(Self.gateway(answering: """
        if (verb === 'STATUS' && isStopping) {
          server.close()
          return socket.destroy()
        }
        socket.write(`+OK ${tag} state=idle\\n`)
        """))
      // Each look at the clock is two seconds after the one before, so that the client soon gives up.
      let looks = 0
      Date.now = () => 2000 * looks++
      await client.status().catch(error => console.log(error.name))
      isStopping = false
      await listen()
      console.log((await client.status()).state)
      await client.close()
      server.close()
      """
    #expect(try await Self.output(text) == ["ConnectionLost", "idle"])
  }

  @Test func `a question that a withdrawn request for a fix closes is asked again`() async throws {
    let text = #"""
      let asked = 0
      \#(Self.gateway(answering: #"""
        const isQuestion = verb === 'AUTHORIZE'
        socket.write(`+OK ${tag} state=${isQuestion ? 'asking' : 'awaiting-press'}\n`)
        if (isQuestion && ++asked === 2) {
          socket.write('MSG authorization authorize {"status":"whenInUse","accuracy":"full"}\n')
        }
        """#))
      const question = client.authorize()
      // The question is open after two further replies.
      for (const time of [1, 2]) await client.status()
      const stop = new AbortController()
      const fix = client.requestOnce({ armed: () => stop.abort(new Error('withdrawn')), signal: stop.signal })
      await fix.catch(error => console.log(error.message))
      console.log((await question).status, asked)
      process.exit()
      """#
    #expect(try await Self.output(text) == ["withdrawn", "whenInUse 2"])
  }

  @Test func `a request whose app fails while it waits is withdrawn`() async throws {
    let text = #"""
      \#(Self.gateway(answering: #"socket.write(`+OK ${tag} state=awaiting-press\n`)"#))
      const fix = client.requestOnce({ armed: () => { throw new Error('failed') } })
      await fix.catch(error => console.log(error.message))
      await client.status()
      console.log(heard.slice(-3).join(' '))
      process.exit()
      """#
    #expect(try await Self.output(text) == ["failed", "REQ CANCEL STATUS"])
  }

  /// Runs code with an app whose gateway ends at a command. After `closed`, the function `listen` starts the
  /// gateway again, which sends a fix for a request after a withdrawal. The last line of the returned output has the
  /// latitude of this fix, and the verbs of the requests and withdrawals.
  private static func outage(at verb: String, number: Int, _ body: String) async throws -> [String] {
    let text = #"""
      \#(gateway(answering: #"""
        if (verb === '\#(verb)' && heard.filter(other => other === verb).length === \#(number)) {
          server.close()
          socket.destroy()
          break
        }
        socket.write(`+OK ${tag} session=s1 state=awaiting-press\n`)
        if (verb === 'REQ' && heard.includes('CANCEL')) socket.write('MSG fix/once - id=1 {"lat":1.5}\n')
        """#))
      const stop = new AbortController()
      const closed = new Promise(resolve => server.once('close', resolve))
      const withdrawn = armed => {
        client.requestOnce({ armed, signal: stop.signal }).catch(error => console.log(error.message))
      }
      let fix
      \#(body)
      await listen()
      console.log((await fix).lat, heard.filter(verb => ['REQ', 'CANCEL'].includes(verb)).join(' '))
      process.exit()
      """#
    return try await output(text)
  }

  @Test func `a request that begins in an outage is not the one that was withdrawn in the outage`() async throws {
    let output = try await Self.outage(
      at: "STATE", number: 1,
      """
      await new Promise(withdrawn)
      client.enterBackground().catch(() => {})
      await closed
      stop.abort(new Error('withdrawn'))
      fix = client.requestOnce()
      """)
    #expect(output == ["withdrawn", "1.5 REQ CANCEL REQ"])
  }

  @Test func `a request that waits is sent again after another one was withdrawn in an outage`() async throws {
    let output = try await Self.outage(
      at: "REQ", number: 2,
      """
      await new Promise(resolve => { fix = client.requestOnce({ armed: resolve }) })
      withdrawn()
      await closed
      stop.abort(new Error('withdrawn'))
      """)
    #expect(output == ["withdrawn", "1.5 REQ REQ CANCEL REQ"])
  }

  @Test func `an abort before the reply withdraws the request if the gateway accepts it, and no other request`()
    async throws
  {
    let text = #"""
      let isHeld = false
      \#(Self.gateway(answering: #"""
        const isRefused = verb === 'REQ' && isHeld
        if (['REQ', 'CANCEL'].includes(verb)) isHeld = verb === 'REQ'
        socket.write(isRefused ? `-ERR 421 already-armed ${tag} :no\n` : `+OK ${tag} state=awaiting-press\n`)
        """#))
      const begin = async () => {
        const stop = new AbortController()
        client.requestOnce({ signal: stop.signal }).catch(error => console.log(error.message))
        await undefined
        stop.abort(new Error('withdrawn'))
      }
      await begin()
      await new Promise(resolve => { client.requestOnce({ armed: resolve }) })
      await begin()
      await client.status()
      console.log(heard.slice(2).join(' '))
      process.exit()
      """#
    #expect(try await Self.output(text) == ["withdrawn", "withdrawn", "REQ CANCEL REQ REQ STATUS"])
  }

  @Test(arguments: [
    ("abort", ["CANCEL STATE STATUS"]), ("call", ["CANCEL STATE REQ STATUS STATUS"]),
    ("close", ["ConnectionLost", "CANCEL"]),
  ])
  func `what the app does while a resumption withdraws a request holds`(action: String, output: [String]) async throws {
    let text = #"""
      let answer
      \#(Self.gateway(answering: #"""
        const isFirst = heard.filter(other => other === verb).length === 1
        if (verb === 'STATE' && isFirst) {
          server.close()
          socket.destroy()
          break
        }
        const reply = () => socket.write(`+OK ${tag} session=s1 state=awaiting-press\n`)
        if (verb === 'CANCEL') answer(reply)
        else reply()
        """#))
      const [first, second] = [new AbortController(), new AbortController()]
      await new Promise(resolve => client.requestOnce({ armed: resolve, signal: first.signal }).catch(() => {}))
      const closed = new Promise(resolve => server.once('close', resolve))
      client.enterBackground().catch(() => {})
      await closed
      first.abort()
      client.requestOnce({ signal: second.signal }).catch(() => {})
      const withdrawn = new Promise(resolve => { answer = resolve })
      await listen()
      const reply = await withdrawn
      const actions = { abort: () => second.abort(), call: () => client.status(), close: () => client.close() }
      const ended = actions[words[1]]()
      reply()
      await ended
      await client.status().catch(error => console.log(error.name))
      console.log(heard.slice(heard.indexOf('CANCEL')).join(' '))
      process.exit()
      """#
    #expect(try await Self.output(text, [action]) == output)
  }

  @Test func `a client that is closed while it connects again stays closed`() async throws {
    let text = #"""
      let sessions = 0
      \#(Self.gateway(answering: #"""
        if (verb === 'HELLO') sessions += 1
        if (verb === 'STATE') socket.destroy()
        else if (verb === 'STATUS') client.close().then(() => console.log('closed'))
        if (!socket.destroyed) socket.write(`+OK ${tag} session=s1 state=idle\n`)
        """#))
      await client.enterBackground().catch(error => console.log(error.name))
      while (!server.closed) await new Promise(resolve => server.getConnections((_, count) => {
        if (count === 0) server.close(() => { server.closed = true })
        setTimeout(resolve, 50)
      }))
      console.log(sessions)
      """#
    #expect(try await Self.output(text) == ["ConnectionLost", "closed", "2"])
  }

  @Test func `a port that cannot exist and a certificate that is none are errors of the module`() async throws {
    let text = """
      for (const [port, certificate] of [[65536, undefined], [7448, { cert: 'none', key: 'none' }]]) {
        const options = { app: 'ferry', key: 'A'.repeat(43), tls: true, certificate }
        await onefix.connect({ host: 'localhost', port }, options).catch(error => console.log(error.name, error.code))
      }
      """
    #expect(try await Self.output(text) == ["Invalid 405", "Invalid 405"])
  }

  @Test func `the system probes a silent connection of the module after a minute`() async throws {
    // The kernel lists the timer of a socket: 02 is that of the probes, and its rest is in hundredths of a second.
    let text = """
      import { readFileSync } from 'node:fs'
      import { createServer } from 'node:net'
      const server = createServer(socket => {
        socket.write('INFO proto=1 id=x\\n')
        socket.on('data', data => {
          const [tag, verb] = data.toString().split(' ')
          if (verb !== undefined) socket.write(`+OK ${tag}\\n`)
        })
      })
      await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address()
      const client = await onefix.connect({ host: '127.0.0.1', port }, { app: 'app' })
      const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
      const timer = () => readFileSync('/proc/net/tcp', 'ascii').split('\\n').map(row => row.trim().split(/\\s+/))
        .find(row => row[2]?.endsWith(remote) && row[3] === '01')[5].split(':')
      while (timer()[0] !== '02') await new Promise(resolve => setImmediate(resolve))
      console.log(parseInt(timer()[1], 16) <= 6000)
      await client.close()
      server.close()
      """
    #expect(try await Self.output(text) == ["true"])
  }

  @Test(.needs("apt-get install node-typescript", Program.isInstalled("tsc")))
  func `the types of the module are right`() async throws {
    let folder = try Folder()
    let app = """
      import { connect, NoPress } from '\(Self.module)'
      const client = await connect({ host: 'localhost', port: 7448 }, { app: 'ferry', key: 'AAEC', tls: true })
      try {
        const fix = await client.requestOnce({ purpose: 'Find parks', timeout: 60 })
        fix.lat?.toFixed(3)
        for await (const update of client.updates({ interval: 5000 })) update.time?.at(0)
      } catch (error) {
        if (error instanceof NoPress) error.code.toFixed()
      }
      """
    let options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom"]
    let end = try await Child("tsc", options + [try folder.write(app, to: "app.mts")]).finish()
    #expect(end.end == .exit(0), "\(end.output)")
    let wrong = try folder.write(app.replacing("timeout: 60", with: "timeout: '60'"), to: "wrong.mts")
    let found = try await Child("tsc", options + [wrong]).finish()
    #expect(found.end != .exit(0) && found.output.contains { $0.contains("TS2322") }, "\(found)")
  }
}
