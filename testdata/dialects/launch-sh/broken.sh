#!/bin/bash
if [ -z "$X" ; then
echo "nothing is started here
