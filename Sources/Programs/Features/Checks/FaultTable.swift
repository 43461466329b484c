/// The kinds of problem that `onefixd check` can report. Each has a code, a severity, a message and a remedy.
///
/// A code consists of the faulty object and the problem, as in `receiver-absent`. The name `{role}` in a code stands
/// for the feature, as in `console-absent`. The name `{title}` in a message stands for the feature's name, as in `the
/// console: `.
extension Fault {
  // MARK: Indicator and labels

  /// The problem that a user could not see the indicator LED or could not read the label of a button. The code of the
  /// finding names the exact reason, for example that the LED is too dim.
  static let illegible = Fault(
    "{restriction}", "no press will be granted: {fault}", remedy: "{remedy}", isConfiguration: true)
  static let indicatorUnsensed = Fault(
    "indicator-unsensed", .note, "the indicator has no sense input: a broken LED or wire is not detected",
    remedy: "connect one as the board's README shows, and add [indicator.sense]", isConfiguration: true)

  // MARK: GPIO lines

  static let lineTwice = Fault(
    "line-twice", "{use} and {other} are on one line, {line}", remedy: "give each a line of its own",
    isConfiguration: true)
  static let lineReserved = Fault(
    "line-twice", "{use} is on {line}, the line of {other}",
    remedy: "use another line; the board's README has the free ones", isConfiguration: true)
  static let gpioAbsent = Fault(
    "gpio-absent", "this machine has no GPIO chip: /dev/gpiochip* does not exist",
    remedy: "check the board; --board simulated needs no chip")
  /// The problem that the daemon's user is not in the group with access to the GPIO chip.
  static let gpioDenied = Fault(
    "gpio-denied", "user {user} has no permission to open {path}",
    remedy: "sudo adduser {user} {group}; then restart the service, or log in again if {user} is your own user")
  /// The problem that no group has access to the GPIO chip.
  static let gpioUngrouped = Fault(
    "gpio-denied", "user {user} has no permission to open {path}",
    remedy: "add a udev rule that gives it to a group: {rule}")
  /// The note that the GPIO lines were not checked, because the user of the command has no permission to open the GPIO
  /// chips.
  static let gpioUnseen = Fault(
    "gpio-unseen", .note, "the GPIO lines were not checked: no permission to open {path}",
    remedy: "check as root or as user {user}")
  static let chipAbsent = Fault(
    "chip-absent", "{use}: no chip has the label '{chip}'", remedy: "this machine has: {labels}")
  static let chipAmbiguous = Fault(
    "chip-ambiguous", "{use}: several chips have the label '{chip}': {matches}",
    remedy: "use a line name that only one of them has")
  static let lineAbsent = Fault(
    "line-absent", "{use}: no line {line}", remedy: "gpioinfo shows the names and the number of lines of each chip")
  static let lineAmbiguous = Fault(
    "line-ambiguous", "{use}: several chips have a line '{position}': {matches}", remedy: "add 'chip' with its label")
  static let lineBusy = Fault(
    "line-busy", "{use}: {line} is in use by '{consumer}'",
    remedy: "stop that program, remove its overlay, or use another line")
  static let lineHeld = Fault("line-held", .note, "{use}: {line} is in use by the running daemon")
  /// The problem that the kernel keeps the state of a GPIO output, so that the indicator LED stays lit if the daemon is
  /// killed.
  static let indicatorPersists = Fault(
    "indicator-persists", .warning,
    "{use}: this kernel keeps the state of an output, so the light stays on if the daemon is killed",
    remedy: "dtparam=strict_gpiod in /boot/firmware/config.txt, and restart", isLogged: true)

  // MARK: LEDs of the kernel

  static let ledAbsent = Fault(
    "led-absent", "the indicator: the kernel has no LED '{led}'", remedy: "this machine has: {leds}")
  static let ledsAbsent = Fault(
    "led-absent", "the indicator: the kernel has no LED '{led}'",
    remedy: "/sys/class/leds is empty; check the overlay")
  static let ledDenied = Fault(
    "led-denied", "the indicator: user {user} has no permission to write {path}",
    remedy: "add a udev rule that gives it only to the daemon: {rule}")

  // MARK: Devices

  /// The problem that the daemon's systemd service does not allow a device that the configuration names.
  static let sandboxDenied = Fault(
    "sandbox-denied", "{title}the sandbox of onefix.service does not let the daemon open {path} (driver {driver})",
    remedy: "add the lines [Service] and DeviceAllow=char-{driver} rw with systemctl edit onefix, and restart it")
  static let recordingAbsent = Fault("receiver-absent", "{path} does not exist", remedy: "check the path")
  /// The problem that the receiver's serial port does not exist while a Bluetooth chip uses a serial port of this
  /// machine. This port may be the missing one.
  static let receiverPortTaken = Fault(
    "uart-bluetooth", "{path} does not exist, and the Bluetooth driver {driver} uses a serial port of its own",
    remedy: "if that is the receiver's port: dtoverlay=disable-bt or dtoverlay=miniuart-bt on a Raspberry Pi")
  static let receiverBusyWithGPSD = Fault(
    "receiver-busy", "{device} is open in another program: {holder}",
    remedy: "sudo systemctl disable --now gpsd.socket gpsd.service, or use it as the receiver: gpsd")
  static let busAbsent = Fault(
    "receiver-absent", "{path} does not exist",
    remedy: "is I2C enabled (the board's README) and the module i2c-dev loaded? see i2cdetect -l")
  static let busUnsuitable = Fault(
    "receiver-unsuitable", "{path} is not an I2C bus", remedy: "use a bus, for example i2c:/dev/i2c-1:0x42")
  static let busTaken = Fault(
    "i2c-taken", "the kernel driver {driver} uses the address {address} on {path}",
    remedy: "remove its overlay, or use another bus")
  static let busSilent = Fault(
    "i2c-silent", "no device replies at {address} on {path}",
    remedy: "is the receiver connected and powered, SDA to SDA? see i2cdetect -y {bus}")
  /// The note that the receiver was not probed, because the user of the command has no permission to open the I2C bus.
  static let busUnseen = Fault(
    "i2c-unseen", .note, "the receiver was not probed: no permission to open {path}",
    remedy: "check as root or as user {user}")
  static let busStretching = Fault(
    "i2c-stretching", .warning,
    "the controller of {path}{speed} reads wrong bits when a receiver stretches the clock: about 20 corrupt sentences "
      + "in 1,000 at 400 kHz",
    remedy: "dtoverlay=i2c-gpio avoids them; 100 kHz reduces them", isLogged: true)
  static let busFast = Fault(
    "i2c-fast", .warning, "{path} runs at {frequency} kHz, but u-blox receivers support at most 400 kHz",
    remedy: "clock-frequency in the device tree; dtparam=i2c_arm_baudrate=100000 on a Raspberry Pi", isLogged: true)

  // MARK: Users with access to the receiver

  static let deviceShared = Fault(
    "receiver-shared", "{node} can be read by {readers}, who then know the location without a press of the button",
    remedy: "{remedy}", isLogged: true)
  static let gpsdShared = Fault(
    "receiver-shared", "the gpsd at {address} sends the location to {readers}, without a press",
    remedy: "let the daemon read the receiver (uart:/dev/… or i2c:/dev/…) and disable gpsd", isLogged: true)

  // MARK: Ports, addresses and files of features

  /// The problem that two features, or a feature and the receiver, are configured with the same serial port.
  package static let portTaken = Fault(
    "{role}-taken", "{title}{path} is the port of {other}", remedy: "give {owner} a port of its own",
    isConfiguration: true)
  static let portOfReceiver = Fault(
    "{role}-taken", "{title}{path} is the receiver's port ({other})", remedy: "give {owner} a port of its own",
    isConfiguration: true)
  static let addressHeld = Fault("{role}-held", .note, "{address} is in use by the running daemon ({holder})")
  static let addressTaken = Fault(
    "{role}-taken", "another program listens on {words}{address}{holders}", remedy: "{remedy}")

  // MARK: Apps

  static let userAbsent = Fault(
    "app-user", "no user has the name '{user}', so no program can be app '{app}' by its user",
    remedy: "correct 'uid', or create the user; then sudo systemctl reload onefix", isLive: true)
  /// The problem that the kernel is too old to identify the systemd unit of a process that connects to a Unix socket.
  static let unitUnproven = Fault(
    "unit-unproven",
    "app '{app}' cannot be identified by its unit: Linux {kernel} does not identify the connecting process",
    remedy: "run Linux {first} or newer, or give the app a 'uid'", isLogged: true)
  static let socketExposed = Fault(
    "app-shared", .warning,
    "a container with the folder of {path} also has the sockets of all apps and of the owners", remedy: socketOfApp,
    isConfiguration: true)
  static let rootIsApp = Fault(
    "app-shared", .warning,
    "every process of root that can connect can act as app '{app}', also in containers without a user namespace",
    remedy: socketOfApp, isConfiguration: true)
  static let userShared = Fault(
    "app-shared", .warning,
    "apps '{other}' and '{app}' are both {user}: every process of {user} can act as both apps, also in two containers",
    remedy: "give each app a user of its own; for containers: " + socketOfApp, isConfiguration: true)
  static let socketsShared = Fault(
    "app-shared", .warning,
    "apps '{other}' and '{app}' are both {user}: a container with the folder of one socket has the socket of the other "
      + "app, too", remedy: socketOfApp, isConfiguration: true)

  static let certificateShared = Fault(
    "app-shared", .warning,
    "apps '{other}' and '{app}' have one certificate: a program with this certificate can act as both apps",
    remedy: "give each app a certificate of its own", isConfiguration: true)
  static let keyUnused = Fault(
    "key-unused", .warning,
    "app '{app}' has a key, but no [[listen]] has an 'address' at which a program can prove that it has the key",
    remedy:
      "add [[listen]] with address = \"127.0.0.1:7447\"; an address for other machines needs TLS: man onefix.toml",
    isConfiguration: true)
  static let certificateUnused = Fault(
    "certificate-unused", .warning,
    "app '{app}' has a certificate, but no [[listen]] has 'client_ca', so no listener asks for a certificate",
    remedy: "[[listen]] needs 'address', 'certificate', 'private_key', and in 'client_ca' the authority of the "
      + "certificates of apps: man onefix.toml", isConfiguration: true)

  private static let socketOfApp =
    "a socket in a folder of its own: [[listen]] socket = \"/run/onefix/{app}/onefix.sock\", app = \"{app}\""

  // MARK: State

  /// The problem that other users can read or write the device's key, a secret file of the gateway.
  static let keyOpen = Fault(
    "key-open", .warning, "other users can read or write the device key",
    remedy: "{chown}chmod 600 {path}; if another user may have read it, lock the gateway and create a new key",
    isLogged: true)
  static let configurationDenied = Fault(
    "configuration-denied", "user {user} cannot read the configuration, so the service does not start",
    remedy: "{commands}; secrets have files of their own, see man onefix.toml")
  static let stateReadOnly = Fault(
    "state-read-only", "{file} cannot be written: its file system is mounted read-only",
    remedy: "mount its file system with write access, or a partition of its own there: man onefixd, A READ-ONLY ROOT")
  /// The problem that a restart of the machine deletes the gateway's state, or brings back an older copy of the state.
  static let stateVolatile = Fault(
    "state-volatile", "{file} {place}: the next start of the machine has no lock, denial or log entry of this run",
    remedy: "mount a partition of its own there: man onefixd, A READ-ONLY ROOT", isLogged: true)
  static let anchorVolatile = Fault(
    "state-volatile",
    "{file} {place}: the next start of the machine cannot detect the removal of log entries of this run",
    remedy: "mount a folder of the state's partition at its folder: man onefixd, A READ-ONLY ROOT", isLogged: true)
  static let keyVolatile = Fault(
    "state-volatile",
    "{file} {place}: the next start of the machine may have another key, and so other approximate locations and a "
      + "broken log",
    remedy: "create it before the overlay is switched on: man onefixd, A READ-ONLY ROOT", isLogged: true)
  static let clockUnset = Fault(
    "clock-unset", .warning, "the clock of this machine is not set: it shows {day}",
    remedy: "see timedatectl; without a network, chrony can set the clock from the receiver (man onefix.toml)")
}

/// The problems that a serial port can have. The receiver and the features have different messages for the same
/// problem.
package struct PortFaults: Sendable {
  let absent, unsuitable, kernel, login, bluetooth, denied, busy, held: Fault

  static let receiver = PortFaults(
    absent: Fault(
      "receiver-absent", "{path} does not exist",
      remedy: "is the port enabled (the board's README), and the receiver plugged in? see ls /dev/tty* /dev/serial*"),
    unsuitable: Fault(
      "receiver-unsuitable", "{path} is not a serial port",
      remedy: "use a tty, for example uart:/dev/ttyS0, or replay:{path} for a recorded log"),
    kernel: feature.kernel.of("uart-console", isLogged: true),
    login: Fault(
      "uart-login", "{login} offers a login on {device}, which consumes the receiver's data",
      remedy: "sudo systemctl mask --now serial-getty@{name}.service", isLogged: true),
    bluetooth: feature.bluetooth.of("uart-bluetooth"), denied: feature.denied.of("receiver-denied"),
    busy: feature.busy.of("receiver-busy"), held: feature.held.of("receiver-held"))

  package static let feature = PortFaults(
    absent: Fault(
      "{role}-absent", .warning, "{title}{path} does not exist yet; the daemon opens it when it appears",
      remedy: "is the port enabled (the board's README), and the adapter plugged in? see ls /dev/tty* /dev/serial*"),
    unsuitable: Fault(
      "{role}-unsuitable", "{title}{path} is not a serial port", remedy: "use a tty, for example /dev/ttyS0"),
    kernel: Fault(
      "{role}-kernel", "{title}the kernel writes its messages to {device}",
      remedy: "remove console={name} (or console=serial0) from the kernel's command line, and restart"),
    login: Fault(
      "{role}-login", "{title}{login} offers a login on {device}",
      remedy: "sudo systemctl mask --now serial-getty@{name}.service"),
    bluetooth: Fault(
      "{role}-bluetooth", "{title}{bluetooth} uses a Bluetooth chip on {device}",
      remedy: "use another port, or switch Bluetooth off: dtoverlay=disable-bt on a Raspberry Pi", isLogged: true),
    denied: Fault("{role}-denied", "{title}user {user} has no permission to open {node}", remedy: "{remedy}"),
    busy: Fault(
      "{role}-busy", "{title}{device} is open in another program: {holder}",
      remedy: "stop it: two programs that read one port lose data"),
    held: Fault("{role}-held", .note, "{title}{device} is in use by the running daemon ({holder})"))

  /// The problems of a port at which other users could act as the owner or as an app. The daemon does not open such a
  /// port.
  package var closing: Set<Fault> { [kernel, login, unsuitable, .portTaken, .portOfReceiver] }
}

/// The problems of a configured file: the file does not exist, the daemon cannot read the file, other users can read
/// the file, or its content is unusable.
package struct FileFaults: Sendable {
  package let absent, denied, open: Fault
  let noSecret, noCertificate, noKey, expired: Fault

  /// Creates the problems of a configured file, with the codes of a feature.
  /// - Parameters:
  ///   - code: The code if the daemon cannot read the file.
  ///   - openCode: The code if other users have a permission on the file.
  package init(_ code: String, open openCode: String) {
    absent = Fault(
      code, "{title}{path} does not exist", remedy: "{remedy} whether user {user} can read its folder")
    denied = Fault(
      code, "{title}user {user} has no permission to read {path}",
      // The remedy is not a permission for a group of the user, because apps can be members of this group.
      remedy: "give the file to that user alone: chown {user}, chmod 600")
    open = Fault(
      openCode, .warning, "{title}other users can read or write {secret} {path}",
      remedy: "chown {user} {path}; chmod 600 {path}; if others can have read it, create a new one", isLogged: true)
    let unusable = "{title}cannot use {path}: {cause}"
    noSecret = Fault(code, unusable, remedy: "write the secret into the first line of the file")
    noCertificate = Fault(
      code, unusable, remedy: "use the file of the certificate, which openssl x509 -noout -subject -in {path} can read")
    noKey = Fault(
      code, unusable,
      remedy: "openssl pkey -pubout -in {path} must print without a question the public key of the certificate")
    expired = Fault(code, "{title}the certificate {path} has expired", remedy: "renew it, and replace the file")
  }
}

extension Fault {
  /// Returns this problem as a warning if a setting permits the problem. Otherwise returns an error whose remedy names
  /// the setting.
  /// - Parameters:
  ///   - isPermitted: The value of the setting.
  ///   - key: The name of the setting in `onefix.toml`.
  func permitted(_ isPermitted: Bool, by key: String) -> Fault {
    isPermitted
      ? Fault(code, .warning, "\(message) (\(key) permits it)", remedy: remedy, isLogged: isLogged)
      : Fault(
        code, severity, message, remedy: remedy.map { "\($0); or \(key) = true in onefix.toml" }, isLogged: isLogged)
  }

  /// Returns a copy of this problem with another code, so that the receiver and the features can share a message.
  fileprivate func of(_ code: String, isLogged: Bool = false) -> Fault {
    Fault(code, severity, message, remedy: remedy, isLogged: isLogged)
  }
}
