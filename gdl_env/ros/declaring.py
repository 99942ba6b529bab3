"""Declare the parameters of the table on a node, and follow those that may change."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException

from gdl_env.errors import GdlError
from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.parameters import Parameter, Table


class ParameterError(GdlError):
    """A parameter has a value that it cannot have."""


def declare(node: RosNode, table: Table) -> dict[str, Any]:
    """Declare parameters on a node; return their values. Raises ParameterError."""
    try:
        values = {
            name: node.declare_parameter(name, parameter.value, describe(parameter)).value
            for name, parameter in table.items()
        }
    except (InvalidParameterTypeException, InvalidParameterValueException) as error:
        raise ParameterError(str(error)) from error
    for name, parameter in table.items():
        if parameter.choices and values[name] not in parameter.choices:
            known = ', '.join(parameter.choices)
            raise ParameterError(f'{name} must be one of {known}, not {values[name]!r}')
    return values


def follow(node: RosNode, table: Table, apply: Callable[[str, Any], None]) -> None:
    """Call `apply` with name and value of each parameter that changes while the node runs.

    ROS itself refuses values out of range, and changes of parameters that are not live.
    """

    def on_change(changed: Iterable[Any]) -> None:
        for each in changed:
            if each.name in table and table[each.name].is_live:
                apply(each.name, each.value)

    node.add_post_set_parameters_callback(on_change)


def describe(parameter: Parameter) -> ParameterDescriptor:
    """Return what ROS tools show of a parameter."""
    descriptor = ParameterDescriptor(
        description=parameter.description,
        additional_constraints=', '.join(parameter.choices) or parameter.form,
        read_only=not parameter.is_live,
    )
    if parameter.low is None or parameter.high is None:
        return descriptor
    if isinstance(parameter.default, float):
        span = FloatingPointRange(from_value=parameter.low, to_value=parameter.high, step=0.0)
        descriptor.floating_point_range = [span]
    else:
        low, high = int(parameter.low), int(parameter.high)
        descriptor.integer_range = [IntegerRange(from_value=low, to_value=high, step=1)]
    return descriptor
