// A client of the OneFix gateway in one file, with nothing but the modules of Node (18 or newer). Types: onefix.d.mts.
//
//   import { connect } from './onefix.mjs'
//   const client = await connect('/run/onefix/onefix.sock', { app: 'park-finder' })
//   const fix = await client.requestOnce({ purpose: 'Find parks near me' })
//   console.log(fix.lat, fix.lon, '±', fix.hacc, 'm')
//   await client.close()
//
// connect() takes the path of a Unix socket, or { host, port } with the key of the app, which `onefix key add` shows.
// With { tls: true } or { tls: { ca } } the connection is TLS. If the connection is lost, the client connects again and
// resumes its session. After 5 s without a connection, its calls fail with ConnectionLost; a later call connects again.

import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { connect as connectSocket, isIP } from 'node:net'
import { connect as connectTLS } from 'node:tls'

const LONGEST_LINE = 65536
// The longest wait for a reply, and the time that a session survives the loss of its connection, in milliseconds.
const PATIENCE = 10_000
const GRACE = 5_000

/** An error. Each subclass stands for one reaction of the app. */
export class OneFixError extends Error {
  constructor(message, options) {
    super(message, options)
    this.name = new.target.name
  }
}
/** No gateway listens at the address, or this process has no permission to connect. */
export class NoGateway extends OneFixError {}
/** The server is not the gateway: its certificate is not trusted, or it does not have the app's key. */
export class Untrusted extends OneFixError {}
/** The connection ended, and with it the request. */
export class ConnectionLost extends OneFixError {}
/** The gateway refused. `code` and `slug` come from the line protocol; `retryAfter` is in seconds. */
export class Refused extends OneFixError {
  constructor(code, slug, text, retryAfter) {
    super(`${code} ${slug}: ${text}`)
    Object.assign(this, { code, slug, text, retryAfter })
  }
}
export class Invalid extends Refused {}
export class NotDetermined extends Refused {}
export class Denied extends Refused {}
export class Restricted extends Denied {}
export class NotInUse extends Refused {}
export class Locked extends Refused {}
export class NoPress extends Refused {}
export class AlreadyAsking extends Refused {}
export class Expired extends Refused {}
export class TooSoon extends Refused {}
export class TooMany extends Refused {}
export class GatewayFailed extends Refused {}
export class NoFix extends Refused {}
export class Withheld extends NoFix {}
export class Unauthenticated extends Refused {}
export class Incompatible extends Refused {}

const REFUSALS = new Map([
  [Invalid, [400, 401, 402, 403, 404, 405, 432]], [NotDetermined, [410]], [Denied, [411]], [Restricted, [412]],
  [NotInUse, [413]], [Locked, [414]], [NoPress, [420]], [AlreadyAsking, [421]], [Expired, [422]], [TooSoon, [430]],
  [TooMany, [431]], [GatewayFailed, [500, 514]], [NoFix, [510, 511]], [Withheld, [512, 513]],
  [Unauthenticated, [900, 901, 902]], [Incompatible, [903]],
].flatMap(([type, codes]) => codes.map(code => [code, type])))

/** Connects to the gateway as an app. */
export async function connect(address, options) {
  const client = new Client(address, options)
  await client._begin()
  return client
}

export class Client {
  #address
  #options
  #secret
  #socket
  #session = ''
  #lastTag = 0
  #lastFix = 0
  // Whether the gateway may have a request for one fix that the app has withdrawn.
  #hasStrayRequest = false
  // The reply to a request that the app withdrew before it came.
  #withdrawn
  #listed = []
  #state = 'away'
  // The commands that wait for a reply, and the calls that wait for messages.
  #replies = new Map()
  #calls = new Set()
  #greeted
  /** The fields of the gateway's first line. */
  greeting = {}

  constructor(address, options) {
    this.#address = typeof address === 'string' ? { path: address } : address
    this.#options = options
    if (options.token && !options.tls) throw new Invalid(405, 'bad-argument', 'a token is sent over TLS only (use a key)')
    if (options.key === undefined) return
    this.#secret = Buffer.from(options.key, 'base64url')
    if (this.#secret.length !== 32 || this.#secret.toString('base64url') !== options.key.replace(/=+$/, '')) {
      throw new Invalid(405, 'bad-argument', 'the key is not 32 bytes in base64url (onefix key add shows it)')
    }
  }

  /** Ends the session and closes the connection. Calls that wait fail with ConnectionLost. */
  async close() {
    if (this.#state === 'over') return
    const socket = this.#socket
    this.#finish(new ConnectionLost('the client is closed'), 'over')
    if (!socket || socket.destroyed) return
    await new Promise(resolve => {
      const timer = setTimeout(() => socket.destroy(), PATIENCE)
      socket.once('close', () => { clearTimeout(timer); resolve() })
      socket.end('BYE\n')
    })
  }

  /** Asks for one fix, waits for the press, and returns the fix. */
  async requestOnce({ purpose, accuracy, timeout = 300, maxAge, press, armed, signal } = {}) {
    signal?.throwIfAborted()
    const end = Date.now() + timeout * 1000
    const options = (accuracy ? ` accuracy=${accuracy}` : '') + (maxAge === undefined ? '' : ` max-age=${maxAge}`) +
      (press ? ' press=required' : '') + (purpose ? ` purpose=${purpose}` : '')
    let isAccepted = false
    let reply
    const call = {
      // Whether a fix is the answer to this request: the request was accepted, or the connection ended first.
      // A fix that comes before the reply belongs to an earlier request.
      takesFix: false,
      begin: async resumed => {
        // The client withdrew another request, and with it this one.
        if (resumed?.isWithdrawn) isAccepted = call.takesFix = false
        const isHeld = call.takesFix && ['awaiting-press', 'acquiring'].includes(resumed?.status.state)
        // The gateway reported the end of the request on the lost connection.
        if (resumed?.isSame && isAccepted && !isHeld) return call.fail(lost())
        if (resumed) isAccepted = resumed.isSame && isHeld
        if (isAccepted) return
        call.takesFix = false
        if (this.#withdrawn) await this.#withdrawn
        if (!this.#calls.has(call)) return
        const left = Math.min(timeout, Math.max(1, Math.ceil((end - Date.now()) / 1000)))
        reply = this.#say(`REQ once timeout=${left}${options}`, call.tag, () => {
          isAccepted = call.takesFix = true
          if (!this.#calls.has(call)) cancel()
        }).catch(error => {
          const isLost = error instanceof ConnectionLost
          this.#hasStrayRequest ||= isLost && !this.#calls.has(call)
          call.takesFix = isLost && !this.#hasStrayRequest
          throw error
        })
        const { state } = await reply
        try {
          if (state === 'awaiting-press' && armed) armed()
        } catch (error) {
          withdraw(error)
        }
        armed = undefined
      },
      message: (topic, fields, payload) => { if (topic === 'fix/once' && call.takesFix) call.done(payload) },
    }
    const cancel = () => {
      // The resumption sends CANCEL.
      if (this.#state !== 'connected') return void (this.#hasStrayRequest = true)
      // CANCEL also ends the other request and the question of an authorization that the gateway has. The client asks
      // again, but if a user could see the question, it counts as unanswered, and the gateway refuses it (TooSoon).
      const askAgain = () => {
        for (const call of this.#calls) if (call.isAsked || call.takesFix) this.#begin(call, { isWithdrawn: true })
      }
      this.#say('CANCEL', undefined, askAgain).catch(() => { this.#hasStrayRequest = true })
    }
    const withdraw = error => {
      armed = undefined
      call.fail(error)
      // Before the reply it is unknown whether the gateway has this request, or another one, which stays.
      if (call.takesFix) cancel()
      else this.#withdrawn = reply?.catch(() => {}) ?? this.#withdrawn
    }
    const abort = () => withdraw(signal.reason)
    signal?.addEventListener('abort', abort)
    // If a user presses at the last moment, the fix may take another minute.
    const timer = setTimeout(() => withdraw(lost()), (timeout + 75) * 1000)
    try {
      return await this.#wait(call)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }

  /** Asks the user for an authorization, waits for the answer, and returns the authorization of the app. */
  async authorize({ scope = 'when-in-use', purpose } = {}) {
    const present = fields => ({ status: fields.authorization, accuracy: fields.accuracy })
    const call = {
      isAsked: false,
      begin: async resumed => {
        if (resumed?.isSame && call.isAsked && !resumed.isWithdrawn) {
          if (resumed.status.indicator !== 'prompt') call.done(present(resumed.status))
          return
        }
        call.isAsked = false
        await this.#say('SUB authorization authorize')
        await this.#say(`AUTHORIZE ${scope}` + (purpose ? ` purpose=${purpose}` : ''), call.tag, reply => {
          if (reply.state === 'asking') call.isAsked = true
          else call.done(present(reply))
        })
      },
      message: (topic, fields, payload) => {
        // A message that came before the reply is no answer.
        if (topic === 'authorization' && call.isAsked && fields.ret !== '1') {
          call.done({ status: payload.status, accuracy: payload.accuracy })
        }
      },
    }
    try {
      return await this.#wait(call)
    } finally {
      await this.#say('UNSUB authorize').catch(() => {})
    }
  }

  /** Yields fixes until the loop ends. */
  updates({ interval, distance, background } = {}) {
    const command = 'START updates' + (interval === undefined ? '' : ` interval=${interval}`) +
      (distance === undefined ? '' : ` distance=${distance}`) + (background ? ' background' : '')
    return this.#stream(command, 'STOP updates', topic => topic === 'fix/updates', (_, payload) => payload)
  }

  /** Yields { region, event } until the loop ends. */
  regionEvents() {
    return this.#stream('SUB region/+ regions', 'UNSUB regions', topic => topic.startsWith('region/'),
      (topic, payload) => ({ region: topic.slice('region/'.length), event: payload.event }))
  }

  /** Registers a circle, or replaces the circle with this id. */
  async addRegion({ id, lat, lon, radius, events, text }) {
    await this.#command(`REGION ADD ${id} ${[lat, lon, radius].map(decimal).join(' ')} ${events.join(',')} :${text}`)
  }

  /** Removes a region. */
  async removeRegion(id) { await this.#command(`REGION DEL ${id}`) }

  /** Returns the regions of the app. */
  async regions() {
    this.#listed = []
    await this.#command('REGION LIST')
    return this.#listed
  }

  /** Returns the authorization, accuracy and state of the app, and the states of the indicator and the receiver. */
  async status() { return await this.#command('STATUS') }

  /** Reports that the app is not in view. */
  async enterBackground() { await this.#command('STATE background') }

  /** Reports that the app is in view. */
  async enterForeground() { await this.#command('STATE foreground') }

  // The connection.

  /** @internal */
  async _begin() {
    await this.#connect()
    this.#state = 'connected'
  }

  /** Opens a connection and begins a session, or resumes it. Returns whether the session is the same. */
  async #connect() {
    const socket = await open(this.#address, this.#options)
    this.#socket = socket
    const greeting = new Promise(resolve => { this.#greeted = resolve })
    let received = Buffer.alloc(0)
    socket.on('data', more => {
      received = Buffer.concat([received, more])
      for (let end; (end = received.indexOf(10)) >= 0; received = received.subarray(end + 1)) {
        this.#read(received.toString('utf8', 0, end).replace(/\r$/, ''))
      }
      if (received.length > LONGEST_LINE) {
        this.#greeted()
        socket.destroy()
      }
    })
    socket.on('error', () => {})
    socket.on('end', () => socket.destroy())
    socket.on('close', () => this.#lose(socket))
    try {
      const info = await within(PATIENCE, greeting, socket)
      if (info instanceof ConnectionLost) throw info
      if (!info) throw new Untrusted('cannot trust the gateway: the program at this address is not a OneFix gateway')
      this.greeting = info
      return await this.#introduce(socket)
    } catch (error) {
      socket.destroy()
      throw error
    }
  }

  async #introduce(socket) {
    const { app, token } = this.#options
    const nonce = randomBytes(16).toString('hex')
    const former = this.#session
    let reply = await this.#say(`HELLO 1 app=${app} keepalive=0` + (former ? ` session=${former}` : '') +
      (this.#secret ? ` nonce=${nonce}` : ''))
    if (this.#secret) {
      const certificate = socket.getPeerCertificate?.().raw
      const binding = certificate ? createHash('sha256').update(certificate).digest('hex') : ''
      const proof = role => createHmac('sha256', this.#secret).update(
        ['onefix-v1', role, this.greeting.id ?? '', app, this.greeting.nonce ?? '', nonce, binding].join('\n')).digest()
      const claimed = Buffer.from(reply.proof ?? '', 'hex')
      // A server without the key receives nothing more.
      if (claimed.length !== 32 || !timingSafeEqual(claimed, proof('server'))) {
        const remedy = this.greeting.auth === 'peer' ? 'a Unix socket needs no key: leave the key out' : 'is the key right?'
        throw new Untrusted(`cannot trust the gateway: it did not prove that it has this app's key (${remedy})`)
      }
      reply = await this.#say(`AUTH hmac=${proof('client').toString('hex')}`)
    } else if (token && reply.auth === 'required') {
      reply = await this.#say(`AUTH token=${token}`)
    }
    if (reply.auth === 'required') {
      throw new Unauthenticated(900, 'auth-required', 'the gateway requires authentication (key, token or certificate)')
    }
    this.#session = reply.session ?? ''
    if (former) {
      // No reply shows whether the session is the same. Only the same session has this subscription, which ends after
      // so many messages that it stays.
      try {
        await this.#say('UNSUB press 1000000')
        return true
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        this.#lastFix = 0
        this.#hasStrayRequest = false
      }
    }
    await this.#say('SUB button/press press')
    return false
  }

  /** Notes the end of a connection, and restores it. */
  #lose(socket) {
    if (socket !== this.#socket) return
    // A gateway that stops can end the connection before its first line.
    this.#greeted(lost())
    for (const reply of this.#replies.values()) reply.reject(lost())
    this.#replies.clear()
    if (this.#state === 'connected') this.#restore()
  }

  /** Connects again. If this fails, all calls fail, and the next call tries again. */
  async #restore() {
    this.#state = 'away'
    const end = Date.now() + GRACE
    let isSame = true
    while (this.#state === 'away') {
      try {
        isSame = await this.#connect() && isSame
        const status = await this.#say('STATUS')
        // The app withdrew its request while the connection was lost.
        const isHeld = ['awaiting-press', 'acquiring'].includes(status.state)
        const isWithdrawn = isHeld && (this.#hasStrayRequest || ![...this.#calls].some(call => call.takesFix))
        if (isWithdrawn) await this.#say('CANCEL')
        if (this.#state !== 'away') break
        this.#hasStrayRequest = false
        if (this.#socket.destroyed) continue
        this.#state = 'connected'
        for (const call of [...this.#calls]) this.#begin(call, { isSame, status, isWithdrawn })
        return
      } catch (error) {
        const isPassing = error instanceof NoGateway || error instanceof ConnectionLost || error instanceof TooMany
        if (this.#state === 'away' && (!isPassing || Date.now() > end)) {
          this.#socket.destroy()
          return this.#finish(isPassing ? lost() : error, 'lost')
        }
        await new Promise(resolve => setTimeout(resolve, 100))
      }
    }
    // The app closed the client in the meantime.
    if (this.#state === 'over' && !this.#socket.writableEnded) this.#socket.end('BYE\n')
  }

  #finish(error, state) {
    this.#state = state
    for (const call of this.#calls) call.fail(error)
  }

  // Commands and calls.

  /** Sends a command, and returns the fields of its reply. */
  #say(command, tag = `@${++this.#lastTag}`, heard = () => {}) {
    return new Promise((resolve, reject) => {
      if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(command)) {
        throw new Invalid(405, 'bad-argument', 'a text must contain only visible characters and plain spaces')
      }
      const socket = this.#socket
      if (!socket || socket.destroyed || this.#state === 'over') throw lost()
      const timer = setTimeout(() => socket.destroy(), PATIENCE)
      const settle = act => value => { clearTimeout(timer); this.#replies.delete(tag); act(value) }
      this.#replies.set(tag, { heard, resolve: settle(resolve), reject: settle(reject) })
      socket.write(`${tag} ${command}\n`)
    })
  }

  /** Sends a command whose repetition changes nothing, if necessary on a new connection. */
  async #command(command) {
    const call = { begin: async () => call.done(await this.#say(command)), message() {} }
    return await this.#wait(call)
  }

  /** Begins a call, and begins it again on each new connection until it is done or fails. */
  #wait(call) {
    call.tag = `@${++this.#lastTag}`
    return new Promise((resolve, reject) => {
      if (this.#state === 'over') throw lost()
      call.done = value => { if (this.#calls.delete(call)) resolve(value) }
      call.fail = error => { if (this.#calls.delete(call)) reject(error) }
      this.#calls.add(call)
      if (this.#state === 'connected') this.#begin(call)
      else if (this.#state === 'lost') this.#restore()
    })
  }

  async #begin(call, resumed) {
    try {
      await call.begin(resumed)
    } catch (error) {
      // After a lost connection, the call begins again on the next one.
      if (!(error instanceof ConnectionLost) || this.#state === 'over') call.fail(error)
    }
  }

  async *#stream(start, stop, matches, element) {
    const queue = []
    let wake = () => {}
    let failure
    const call = {
      begin: async resumed => {
        try {
          await this.#say(start, call.tag)
        } catch (error) {
          // The updates of the resumed session continue.
          if (!(error instanceof AlreadyAsking && resumed?.isSame)) throw error
        }
      },
      message: (topic, fields, payload) => {
        if (!matches(topic)) return
        queue.push(element(topic, payload))
        wake()
      },
    }
    this.#wait(call).catch(error => { failure = error; wake() })
    try {
      while (true) {
        while (queue.length) yield queue.shift()
        if (failure) throw failure
        await new Promise(resolve => { wake = resolve })
      }
    } finally {
      this.#calls.delete(call)
      await this.#say(stop).catch(() => {})
    }
  }

  // Lines of the gateway.

  #read(line) {
    const words = line.split(' ')
    switch (words[0]) {
      case 'INFO': return this.#greeted(fieldsOf(words.slice(1)))
      case 'PING': return this.#socket.write('PONG\n')
      case '+OK': {
        const reply = this.#replies.get(words[1])
        const fields = fieldsOf(words.slice(2))
        reply?.heard(fields)
        return reply?.resolve(fields)
      }
      case '-ERR': return this.#readError(line)
      case 'MSG': return this.#readMessage(line)
      // The first line must be INFO.
      default: return this.#greeted()
    }
  }

  #readError(line) {
    const [, code, slug, tag, head, text] = /^-ERR (\d{3}) (\S+)(?: (@\S+))?((?: [^ :]\S*)*)(?: :(.*))?$/.exec(line) ?? []
    if (!code) return
    const number = Number(code)
    const seconds = Number(fieldsOf(head.split(' '))['retry-after'] ?? NaN)
    const error = number >= 904 && number <= 906 ? new ConnectionLost(text ?? '') :
      new (REFUSALS.get(number) ?? Refused)(number, slug, text ?? '', Number.isNaN(seconds) ? undefined : seconds)
    const first = this.#replies.values().next().value
    const reply = tag ? this.#replies.get(tag) : first
    if (reply) reply.reject(error)
    else for (const call of this.#calls) if (call.tag === tag) call.fail(error)
    // Codes from 900 on close the connection.
    if (number >= 900 && number < 904 && this.#state === 'connected') this.#finish(error, 'lost')
    if (number >= 900) this.#socket.destroy()
  }

  #readMessage(line) {
    const [, topic, head, json] = /^MSG (\S+) \S+((?: [^ {]\S*)*) (\{.*)$/.exec(line) ?? []
    let payload
    try { payload = JSON.parse(json) } catch { return }
    const fields = fieldsOf(head.split(' '))
    if (topic === 'regions') this.#listed.push(payload)
    const number = Number(fields.id ?? 0)
    if (topic === 'fix/once' && number) {
      this.#say(`ACK ${number}`).catch(() => {})
      // A fix that is sent again is acknowledged again, but returned once.
      if (number <= this.#lastFix) return
      this.#lastFix = number
    }
    for (const call of this.#calls) call.message(topic, fields, payload)
  }
}

/** Opens a connection. */
function open(address, { tls, certificate }) {
  const place = address.path ?? `${address.host}:${address.port}`
  return new Promise((resolve, reject) => {
    let isReached = false
    let socket
    const options = { ...address, timeout: PATIENCE }
    try {
      socket = tls && !address.path
        ? connectTLS({
          ...options, minVersion: 'TLSv1.2', ca: tls === true ? undefined : tls.ca, cert: certificate?.cert,
          key: certificate?.key, servername: isIP(address.host) ? '' : address.host,
        })
        : connectSocket(options)
    } catch (error) {
      throw new Invalid(405, 'bad-argument', `cannot use the port, the certificates or the private key: ${error.message}`)
    }
    socket.once('connect', () => { isReached = true })
    socket.once(tls && !address.path ? 'secureConnect' : 'connect', () => {
      socket.setTimeout(0)
      // The system ends the connection within two minutes after the gateway's machine or its cable is gone.
      socket.setKeepAlive(true, 60_000)
      resolve(socket)
    })
    socket.once('timeout', () => socket.destroy(Object.assign(new Error('connection timed out'), { code: 'ETIMEDOUT' })))
    socket.once('error', cause => {
      const said = `${place}: ${cause.message}`
      if (!isReached) reject(new NoGateway(`cannot reach the gateway at ${said} (${remedy(cause)})`, { cause }))
      // A gateway that stops, and a forwarder in front of a stopped gateway, end the connection in this way.
      else if (['ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes(cause.code)) {
        reject(new ConnectionLost(`the connection to the gateway was lost at ${said}`, { cause }))
      } else reject(new Untrusted(`cannot trust the gateway at ${said}`, { cause }))
    })
  })
}

function remedy({ code }) {
  if (code === 'EACCES') return 'is this user in the group onefix?'
  return code === 'ENOTFOUND' ? 'is the name right?' : 'is onefixd running?'
}

function within(milliseconds, promise, socket) {
  const timer = setTimeout(() => socket.destroy(), milliseconds)
  return promise.finally(() => clearTimeout(timer))
}

function lost() { return new ConnectionLost('the connection to the gateway was lost') }

function fieldsOf(words) {
  return Object.fromEntries(words.filter(word => word.includes('='))
    .map(word => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]))
}

/** Returns a number without an exponent. */
function decimal(number) { return Number(number).toFixed(10).replace(/\.?0+$/, '') }
