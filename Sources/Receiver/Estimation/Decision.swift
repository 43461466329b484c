/// The decision of one epoch: which hypotheses accept the position, which one leads, and which position is reported.
extension HorizontalFilter {
  /// The innovations of the hypotheses and the decisions that follow from them.
  private struct Judgement {
    let positions: Innovation
    let doppler: Innovation?
    /// Whether Doppler is believed, and whether so much that the other hypothesis may not judge.
    let usesDoppler, dopplerLeads: Bool
    /// Whether the filter has just begun: the first positions pass, whatever they are.
    let isFree: Bool
    let positionsAccept: Bool
    var dopplerAccepts: Bool
    /// Whether a hypothesis that is entitled to judge accepts the position, and whether as one with the usual noise.
    var isAccepted, isUsual: Bool

    var leading: Innovation { (usesDoppler ? doppler : nil) ?? positions }
  }

  /// Judges a position, updates the hypotheses with it, and returns the reported position. Returns nil if the filter must
  /// begin anew with it.
  mutating func decide(_ observation: Observation, _ parameters: FilterParameters) -> Estimate? {
    let judgement = judge(observation, parameters)
    // The first positions contradict each other: a track between them would lead nowhere.
    if judgement.isFree, !judgement.isAccepted { return nil }
    if let estimate = tryEarlier(observation, judgement, parameters) { return estimate }
    if let estimate = tryLater(observation, judgement, parameters) {
      // In a plane that is far away nothing can be measured.
      return observation.place.length > Self.farthest ? nil : estimate
    }
    updatePositions(observation, judgement, parameters)
    updateDoppler(judgement, parameters)
    let reported = hypothesis(for: judgement)
    if judgement.isAccepted {
      alternatives.accept(observation.place, velocity: reported.velocity)
    }
    return isReceiversOwnBest(observation, judgement, parameters)
      ? receiversOwn(observation.deviation, parameters) : estimate(reported, observation.deviation, parameters)
  }

  private mutating func judge(_ observation: Observation, _ parameters: FilterParameters) -> Judgement {
    let (place, gate) = (observation.place, parameters.gate)
    let byPositions = positions.innovation(of: place, variance: observation.variance)
    let byDoppler = doppler?.innovation(of: place, variance: observation.variance)
    addResidual(observation)
    if let doppler, let byDoppler {
      // Without a usable velocity the motion can contradict the latest one, but not prove it.
      let latest = byDoppler.squared > byPositions.squared ? doppler.velocity.length : 0
      trust.compare(
        doppler: byDoppler, positions: byPositions, said: observation.speed ?? latest, moved: positions.velocity.length,
        after: observation.seconds, parameters)
    }
    let usesDoppler = doppler != nil && trust.isTrusted
    var judgement = Judgement(
      positions: byPositions, doppler: byDoppler, usesDoppler: usesDoppler,
      dopplerLeads: usesDoppler && observation.step != nil && trust.leads, isFree: fixes < parameters.freeFixes,
      positionsAccept: byPositions.squared <= gate,
      dopplerAccepts: usesDoppler && byDoppler.map { $0.squared <= gate } ?? false,
      isAccepted: false, isUsual: false)
    func isUsual(_ hypothesis: Hypothesis) -> Bool {
      hypothesis.innovation(of: place, variance: observation.usual).squared <= gate
    }
    judgement.isAccepted = judgement.dopplerAccepts || judgement.positionsAccept && !judgement.dopplerLeads
    judgement.isUsual =
      judgement.isAccepted
      && (usesDoppler && doppler.map(isUsual) ?? false || !judgement.dopplerLeads && isUsual(positions))
    // A receiver that holds its position at rest lets it go in steps.
    if isHeld(observation, parameters), let byDoppler, byDoppler.offset.length <= 2 * observation.deviation {
      (judgement.isAccepted, judgement.isUsual, judgement.dopplerAccepts) = (true, true, true)
    }
    return judgement
  }

  /// Takes over the hypothesis from before a doubtful position, if it accepts a position that the leading one rejects.
  private mutating func tryEarlier(
    _ observation: Observation, _ judgement: Judgement, _ parameters: FilterParameters
  ) -> Estimate? {
    if !judgement.isAccepted,
      let (hypothesis, innovation) = alternatives.earlier(
        accepting: observation.place, variance: observation.variance, insteadOf: judgement.leading, parameters)
    {
      restart(with: hypothesis, at: observation.place)
      let isUsual = innovation.offset.squared <= parameters.gate * (innovation.predicted + observation.usual)
      return isUsual
        ? receiversOwn(observation.deviation, parameters) : estimate(hypothesis, observation.deviation, parameters)
    }
    let leading = (judgement.usesDoppler ? doppler : nil) ?? positions
    let isDoubtful = !judgement.isFree && judgement.leading.squared > parameters.doubt
    alternatives.keep(leading, isDoubtful: isDoubtful, parameters)
    return nil
  }

  /// Takes over the hypothesis that began at rejected positions, once they are right.
  private mutating func tryLater(
    _ observation: Observation, _ judgement: Judgement, _ parameters: FilterParameters
  ) -> Estimate? {
    guard !judgement.isAccepted else { return nil }
    let rejection = Alternatives.Rejection(
      place: observation.place, seconds: observation.seconds, variance: observation.variance,
      sigma: observation.sigma, step: judgement.usesDoppler ? observation.step : nil, velocity: positions.velocity,
      dopplerLeads: judgement.dopplerLeads)
    guard let hypothesis = alternatives.reject(rejection, parameters) else { return nil }
    if judgement.usesDoppler { trust.lose(parameters) }
    restart(with: hypothesis, at: observation.place)
    return receiversOwn(observation.deviation, parameters)
  }

  private mutating func restart(with hypothesis: Hypothesis, at place: Offset) {
    positions = hypothesis
    if doppler != nil { doppler = hypothesis }
    alternatives = Alternatives(at: place, velocity: hypothesis.velocity)
  }

  // MARK: Update

  private mutating func updatePositions(
    _ observation: Observation, _ judgement: Judgement, _ parameters: FilterParameters
  ) {
    let innovation = judgement.positions
    if judgement.positionsAccept ? innovation.squared > parameters.doubt : judgement.dopplerAccepts {
      positions.accelerate(toExplain: innovation, as: parameters.doubt, after: observation.seconds)
      positions.update(innovation)
    } else if judgement.positionsAccept {
      positions.update(innovation)
    } else if innovation.squared < parameters.hardGate {
      positions.update(innovation, limitedTo: parameters.gate)
    }
  }

  private mutating func updateDoppler(_ judgement: Judgement, _ parameters: FilterParameters) {
    guard let innovation = judgement.doppler else { return }
    if judgement.dopplerAccepts {
      doppler?.update(innovation)
    } else if judgement.positionsAccept, !judgement.usesDoppler {
      doppler?.adoptPosition(of: positions)
    } else if innovation.squared < parameters.hardGate {
      doppler?.update(innovation, limitedTo: parameters.gate)
    }
  }

  // MARK: Output

  private func hypothesis(for judgement: Judgement) -> Hypothesis {
    let usesDoppler = judgement.usesDoppler && (judgement.dopplerAccepts || !judgement.isAccepted)
    return (usesDoppler ? doppler : nil) ?? positions
  }

  /// Whether the receiver's own position is reported: it was accepted with its usual noise, and has been filtered already.
  private func isReceiversOwnBest(
    _ observation: Observation, _ judgement: Judgement, _ parameters: FilterParameters
  ) -> Bool {
    if judgement.isFree { return true }
    let hasFiltered = observation.white < parameters.ownShare * observation.deviation
    let isMovingOrHeld = !isAtRest || isHeld(observation, parameters)
    return judgement.isUsual && (age < parameters.settlingOwn || hasFiltered && isMovingOrHeld)
  }

  private var isAtRest: Bool { standstill.isAtRest && trust.isTrusted }

  /// Whether the receiver itself keeps its position at rest.
  private func isHeld(_ observation: Observation, _ parameters: FilterParameters) -> Bool {
    isAtRest && observation.white <= (observation.speed == 0 ? parameters.holdingAtZero : parameters.holding)
  }
}
