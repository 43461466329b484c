package import Authorization
package import Configuration

/// What is checked: a board as its owner wants it, with its receiver.
package struct Subject: Hashable, Sendable {
  package var board: Board
  package var receiver: ReceiverSpec
  /// Where the receiver stands.
  package var receiverPlace: Place
  package var allowsSharedReceiver: Bool
  /// The owner's terminal; nil where there is none.
  package var console: ConsoleSettings?
  /// Ports that carry the line protocol to apps.
  package var protocolPorts: [SerialSettings]
  /// Where apps connect over a network.
  package var listeners: [ListenSettings]
  /// Where clients of gpsd connect; nil where none may.
  package var gpsdServer: GPSDServerSettings?
  /// The owners' page; nil where there is none.
  package var page: PageSettings?
  /// Brokers that apps are behind.
  package var brokers: [MQTTSettings]
  /// The places of the keys `unit`, by app.
  package var unitPlaces: [AppID: Place]

  /// - Parameter receiver: another than the board's, as the command line says it.
  package init(
    board: Board, receiver: ReceiverSpec? = nil, allowsSharedReceiver: Bool = false, console: ConsoleSettings? = nil,
    protocolPorts: [SerialSettings] = [], listeners: [ListenSettings] = [],
    gpsdServer: GPSDServerSettings? = nil, page: PageSettings? = nil, brokers: [MQTTSettings] = [],
    unitPlaces: [AppID: Place] = [:]
  ) {
    self.unitPlaces = unitPlaces
    self.gpsdServer = gpsdServer
    self.page = page
    self.console = console
    self.protocolPorts = protocolPorts
    self.listeners = listeners
    self.brokers = brokers
    self.board = board
    self.receiver = receiver ?? board.receiver
    receiverPlace = receiver == nil ? board.place(of: .receiver) : Place(file: "--receiver")
    self.allowsSharedReceiver = allowsSharedReceiver
  }

  /// Everything that is to be said of the configuration alone.
  package var configurationFindings: [Finding] { legibilityFindings + doubleLineFindings }

  /// Everything that is to be said of a machine for this.
  package func findings(on machine: Machine) -> [Finding] {
    lineFindings(on: machine) + ledFindings(on: machine) + receiverFindings(on: machine) + consoleFindings(on: machine)
      + listenFindings(on: machine) + brokerFindings(on: machine) + serialFindings(on: machine)
      + gpsdServerFindings(on: machine) + pageFindings(on: machine) + unitFindings(on: machine)
  }

  /// Apps that the kernel does not let the gateway know by their units.
  private func unitFindings(on machine: Machine) -> [Finding] {
    guard let kernel = machine.kernel, kernel < Machine.Kernel.firstWithPeerDescriptors else { return [] }
    return unitPlaces.sorted { $0.key < $1.key }.map { app, place in
      Finding(
        .unitUnproven, .error, at: place,
        "app '\(app)' cannot be known by its unit: Linux \(kernel) does not prove which process connected",
        remedy: "run Linux \(Machine.Kernel.firstWithPeerDescriptors) or newer, or give the app a 'uid'")
    }
  }

  /// What keeps the daemon from starting: what it protects would be open beside it.
  package func refusals(on machine: Machine) -> [Finding] {
    let open: Set<FindingCode> = [
      .receiverShared, .consoleKernel, .consoleLogin, .consoleTaken, .consolePIN, .consoleUnsuitable, .serialKernel,
      .serialLogin, .serialTaken, .serialUnsuitable,
    ]
    return (receiverFindings(on: machine) + consoleFindings(on: machine) + serialFindings(on: machine)).filter {
      open.contains($0.code) && $0.severity == .error
    }
  }

  /// What the daemon says when it starts, since nothing else would: a device that is missing or busy says so itself.
  package func warnings(on machine: Machine?) -> [Finding] {
    let silent: Set<FindingCode> = [
      .indicatorPersists, .receiverShared, .uartConsole, .uartLogin, .i2cStretching, .i2cFast, .consoleBluetooth,
      .listenKeyOpen, .mqttSecretOpen, .serialBluetooth, .gpsdBeside, .unitUnproven,
    ]
    let found = machine.map { findings(on: $0).filter { silent.contains($0.code) } } ?? []
    return (configurationFindings + found).filter { $0.severity != .note }
  }
}
