/// Every number that the filter stands on, with where it comes from.
///
/// "Phones" are 311 recorded phone tracks with inertial truth (58 h), on which a filter of this kind was developed; "nagoya"
/// and "F9K" are the two recorded drives named in the guide (`positioning.md`), which also has the equations. Without a
/// source stands what was chosen, and is covered by the measurements of the whole.
package struct FilterParameters: Hashable, Sendable {
  package static let standard = FilterParameters()

  // MARK: How things move

  /// Power spectral density of the horizontal acceleration, m²/s³: a car in a town. (phones: 0.5–2 are alike)
  package var acceleration = 1.0
  /// Where all but one in ten steps are longer than this, seconds, the density grows with the square of them, since
  /// accelerations last. Single gaps change nothing: after them receivers are at their worst. (nagoya)
  package var slowInterval = 1.0
  /// Of the vertical acceleration, m²/s³: roads and stairs; a lift reaches 1 m/s within 2 s.
  package var climbing = 0.05
  /// Standard deviation of a velocity of which nothing is known, m/s, …
  package var unknownVelocity = 10.0
  /// … or as much as two positions at the start need, up to what an orbit has, m/s, …
  package var mostVelocity = 8000.0
  /// … and of a rate of climb.
  package var unknownClimb = 1.0

  // MARK: How receivers err

  /// Seconds in which a receiver's error falls to 1/e. (phones: autocorrelation 0.9 at 1 s, 0.6 at 10 s; of 20, 30, 40, 60
  /// and 100 s this had the least errors on nagoya and on simulated tracks)
  package var errorTime = 30.0
  /// Least standard deviation of the receiver error, metres: nobody's antenna is known better.
  package var leastError = 0.3
  /// The white part of the noise, standard deviation of one axis: at least this many metres, …
  package var leastWhite = 0.1
  /// … and this share of the receiver error, …
  package var leastWhiteShare = 0.1
  /// … and at most so many metres.
  package var mostWhite = 40.0
  /// The share of the receiver's figure that is taken for white until it has been measured.
  package var assumedWhiteShare = 0.3
  /// Seconds by which a time tag may be late: at speed that is a distance. (phones: 0.7 % of all fixes, 16–28 m)
  package var lateTag = 0.06
  /// Doppler velocity: standard deviation at rest, m/s, …
  package var velocityDeviation = 0.12
  /// … its growth with speed (receivers say 0.01; simulated bends with a late Doppler want more than that), …
  package var velocityShare = 0.05
  /// … and with the change since the epoch before, seconds: receivers smooth, and so say it late.
  package var velocityLag = 0.3
  /// Seconds over which that change is looked at where epochs come faster.
  package var changeTime = 0.5
  /// Below this many satellites a fix rests on an assumption (of altitude, of the clock): …
  package var fewSatellites = 4
  /// … this is added to its noise, m².
  package var fewSatellitesVariance = 100.0
  /// A receiver that has just found its first position converges: such an error, metres, …
  package var settlingError = 10.0
  /// … falls to 1/e in so many seconds, and so long its own position is said.
  package var settlingTime = 8.0
  package var settlingOwn = 16.0

  // MARK: What is believed

  /// Squared normalised innovation from which a measurement's noise is raised: chi-square of two degrees, 99 %.
  package var softGate = 9.21
  /// From here a position is left out.
  package var hardGate = 200.0
  /// The first fixes pass whatever they say, and one that contradicts those before it begins the track anew: it is not
  /// known better than they are. (Receivers begin with a place that is kept from before.)
  package var freeFixes = 4
  /// Seconds of rejected positions after which the track begins anew: the receiver must be right.
  package var longestRejection = 8.0
  /// Without Doppler already so many rejected positions that agree with each other, …
  package var agreeing = 3
  /// … over so many seconds. With Doppler they would have to contradict it, and then the long wait is better.
  package var agreeingTime = 1.5
  /// Metres by which positions may differ that agree.
  package var agreement = 5.0

  // MARK: What is believed of the course
  // Chosen on simulated circles of 20 m at 0.5–1.4 m/s, with courses that are true, frozen, the other way round and random.

  /// Above this speed, m/s, in the mean of `courseTime`, courses are always believed: receivers hold them when slow. (On
  /// nagoya the positions are wrong, not the courses)
  package var slowest = 2.0
  /// Seconds over which positions are compared with speed and course.
  package var courseTime = 30.0
  /// Seconds for which they must have contradicted each other beyond `softGate`. (humps of reflections are as long)
  package var courseContradiction = 6.0
  /// Positions went as far as the speed says: at most so much further, as a share of the way, …
  package var courseSlack = 0.1
  /// … and at least this share of it: what is left where a way bends. (of a circle of 20 m, at 1.4 m/s)
  package var leastGone = 0.7
  /// A step longer than the speed explains by this many standard deviations of white noise is an outlier.
  package var leap = 6.0
  /// Squared normalised difference below which course and positions agree, …
  package var courseGate = 4.0
  /// … and for how many seconds, before the course is believed again.
  package var courseAgreement = 30.0

  // MARK: Standing still

  /// Below this speed, m/s, in the mean of `restTime`, and …
  package var restSpeed = 0.1
  /// … below this one, m/s, in the epoch itself, and …
  package var restMost = 0.6
  /// … for so many seconds, a receiver is at rest.
  package var restTime = 6.0
  /// Standard deviation of the velocity zero, m/s.
  package var restDeviation = 0.02
  /// Squared normalised innovation from which it is not at rest after all. Without this way out the worst error grew up
  /// to ninefold. (phones)
  package var restGate = 6.0
  /// White noise below this, metres: the receiver itself holds the position at rest, and is left alone; …
  package var holding = 0.1
  /// … below this one if it says a speed of 0.
  package var holdingAtZero = 0.25

  // MARK: What is said

  /// A receiver whose white noise is below this share of its error has filtered already: its own position is said.
  package var ownShare = 0.35
  /// The share of the receiver error's variance that a filtered position still has.
  package var remainingError = 0.5

  // MARK: Coasting

  /// Seconds without a measurement after which nothing is said any more.
  package var longestCoasting = 30.0
  /// Power spectral density of the acceleration that nobody measures, m²/s³, between the two speeds, m/s: walkers cannot,
  /// and who drives fast does not turn and brake like a car in a town. It falls with the square of the ratio to them, …
  package var coastingAcceleration = 5.0
  package var coastingSpeeds = 5.0...15
  /// … to this.
  package var leastCoastingAcceleration = 0.3
  /// Turn and acceleration are means over so many seconds.
  package var manoeuvreMean = 1.5
  /// A turn falls to 1/e in so many seconds, as bends of a road do, …
  package var turnTime = 60.0
  /// … and turns by so many radians at most: corners end. Above 15 m/s more, with the square of the speed.
  package var mostTurn = 0.4
  /// Who drives through a town brakes, stops and turns off: the speed to be expected falls to 1/e in so many seconds.
  /// Above 15 m/s that takes longer, with the fourth power of the speed. (F9K: after 30 s 0.66 of
  /// the error of the last fix held, and 0.73 without it)
  package var stopTime = 60.0
  /// An acceleration falls to 1/e in so many seconds.
  package var pushTime = 1.5

  package init() {}
}
